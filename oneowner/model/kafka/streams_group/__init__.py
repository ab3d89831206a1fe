"""Streams groups (KIP-1071): the broker's decisions on tasks and members."""
