"""Tests of engines: prove."""
