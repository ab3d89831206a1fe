"""Tests of questions about decisions."""
