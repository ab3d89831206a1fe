"""Tests of engines: compile."""
