"""The balancer's decisions, each a pure function of its input, do what Pulsar's load managers do."""
