"""Tests of recordings: fold."""
