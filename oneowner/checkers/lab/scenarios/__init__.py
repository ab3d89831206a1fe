"""What is done to a cluster while it is recorded, by name."""
