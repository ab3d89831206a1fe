"""Tests of the parts that all systems of Pulsar share."""
