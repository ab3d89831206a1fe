"""What brokers logged of their decisions, computed again by the model of the balancer."""
