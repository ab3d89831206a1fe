"""Tests of what is judged beside the channel."""
