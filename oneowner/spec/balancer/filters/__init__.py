"""What must be true of who may be given a bundle, by policies and settings."""
