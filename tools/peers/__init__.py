"""Peers: the family `transfer` by hand for TLC, Spin, stateright and minicheck; their commands, and equal counts."""
