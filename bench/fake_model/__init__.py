"""A fake model server on loopback: the Messages protocol, answered by the offline desk, with faults by script."""
