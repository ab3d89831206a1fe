"""Runs of the model as a cluster would have left them."""
