"""Tests of checkers/watch."""
