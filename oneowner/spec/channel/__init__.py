"""The laws say what must be true of Pulsar's bundle state channel."""
