"""Tests of load data in Pulsar's own JSON."""
