"""Laws of the decisions of Pulsar's load managers."""
