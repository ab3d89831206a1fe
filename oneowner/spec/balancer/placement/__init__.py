"""What must be true of who is given a bundle, by strategy."""
