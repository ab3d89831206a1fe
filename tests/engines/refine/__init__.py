"""Tests of engines: refine."""
