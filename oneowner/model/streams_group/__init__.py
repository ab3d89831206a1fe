"""KIP-1071: a streams group, led by its coordinator from assignment to assignment, as a step system."""
