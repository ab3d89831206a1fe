"""Random state machines over the model."""
