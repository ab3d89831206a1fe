"""Tests of what all systems of Pulsar share."""
