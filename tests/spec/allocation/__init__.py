"""Tests of the laws of other systems' allocations."""
