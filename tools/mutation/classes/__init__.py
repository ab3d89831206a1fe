"""Mutants of Pulsar's own classes, and the walk that kills each."""
