"""Tests of decisions of load managers."""
