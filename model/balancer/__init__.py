"""What Pulsar's load managers decide, each a pure function of its input."""
