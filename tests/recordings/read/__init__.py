"""Tests of recordings: read."""
