"""Benchmarks: ratios against peers, measured in one run. Nothing here has a time limit."""
