"""Tests of the room `inputs`."""
