"""Tests of recordings: laws."""
