"""Streams groups (KIP-1071): what the broker decides of tasks and members."""
