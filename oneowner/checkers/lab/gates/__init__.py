"""Gates in real brokers: where a step of the model becomes real, it is held, let go, answered, and traced."""
