"""Measurements of the project, and attacks on it; none of them is installed."""
