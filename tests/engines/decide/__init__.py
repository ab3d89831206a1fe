"""Tests of decisions judged on many inputs."""
