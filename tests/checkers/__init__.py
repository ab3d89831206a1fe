"""Tests of the room ``checkers``: how we find out."""
