"""Laws of Pulsar's bundle state channel."""
