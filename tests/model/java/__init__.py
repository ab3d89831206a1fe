"""Tests of the JDK, step by step."""
