"""Tests of laws of whole logs."""
