"""Random walks try a model by chance, reproducibly, and say what they covered."""
