"""Tests of the laws of decisions."""
