"""The engine decides laws of liveness on a whole graph."""
