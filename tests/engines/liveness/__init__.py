"""Tests of engines: liveness."""
