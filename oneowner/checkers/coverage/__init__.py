"""Evidence of real clusters for the actions and laws of the model."""
