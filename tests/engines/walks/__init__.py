"""Tests of engines: walks."""
