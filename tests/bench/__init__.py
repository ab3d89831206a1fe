"""Benchmarks: ratios against peers, measured in one run. Not tests: nothing here has a time limit."""
