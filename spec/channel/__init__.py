"""The laws of Pulsar's bundle state channel."""
