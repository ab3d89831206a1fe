"""Peers: the family `transfer` by hand for TLC, Spin, stateright and minicheck; who runs them, and equal counts."""
