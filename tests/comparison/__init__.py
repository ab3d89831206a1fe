"""Tests of what each system promises of a hand-over, beside each other."""
