"""Recorded runs of real clusters, explained step by step as runs of the model."""
