"""Tests of the room ``model``: what happens."""
