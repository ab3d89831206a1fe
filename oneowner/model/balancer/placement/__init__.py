"""Which broker is given a bundle, by strategy."""
