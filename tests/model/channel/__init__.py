"""Tests of the room ``model``."""
