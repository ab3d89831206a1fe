"""A real Pulsar cluster of small processes on this machine."""
