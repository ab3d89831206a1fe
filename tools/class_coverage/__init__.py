"""Branches of Pulsar's channel classes that no walk reaches, and why."""
