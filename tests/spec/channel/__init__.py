"""Tests of the room ``spec``: what must be true."""
