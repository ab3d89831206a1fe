"""Tests of the known bugs behind texts."""
