"""Logged decisions of brokers, computed again by the model of the balancer."""
