"""Which brokers may be given a bundle at all, by policies and settings."""
