"""Tests of recordings: judge."""
