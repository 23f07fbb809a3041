"""The morning page of a night and the history page of a store, each one self-contained HTML document."""
