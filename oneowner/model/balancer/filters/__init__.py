"""The brokers that policies and settings allow for a bundle."""
