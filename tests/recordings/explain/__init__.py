"""Recordings of real clusters as runs of the model."""
