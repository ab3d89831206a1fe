"""Gates in real brokers: a call that realises a step of the model is held, released, answered, and traced."""
