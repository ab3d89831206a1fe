"""Random walks sample a model reproducibly, and report their coverage."""
