"""What makes recordings: runs of the model, and real clusters."""
