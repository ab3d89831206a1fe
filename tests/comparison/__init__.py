"""Tests of the guarantees that each system gives for a hand-over, beside each other."""
