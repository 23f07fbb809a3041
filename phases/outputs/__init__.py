"""What people and programs see of a finished night."""
