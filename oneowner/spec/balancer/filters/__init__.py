"""Laws of the brokers that policies and settings allow for a bundle."""
