"""Laws of splits, and of the ring that they cut."""
