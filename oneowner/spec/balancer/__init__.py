"""The laws say what must be true of what Pulsar's load managers decide."""
