"""Tests of the room `settings`."""
