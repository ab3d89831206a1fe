"""Tests of recordings: scene."""
