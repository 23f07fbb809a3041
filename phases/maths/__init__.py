"""Numbers in, numbers out. Pure functions; nothing here reads a file, a clock or a model."""
