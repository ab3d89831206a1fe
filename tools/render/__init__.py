"""Runs of the model as the dumps and logs that a cluster would leave."""
