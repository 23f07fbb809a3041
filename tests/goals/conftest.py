"""What is not collected here."""

collect_ignore = ["warm.py"]
"""To import it is to hold a night."""
