"""What must be true of splits, and of the ring that they cut."""
