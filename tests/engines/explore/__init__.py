"""Tests of engines: explore."""
