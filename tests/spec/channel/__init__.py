"""Tests of the room ``spec``."""
