"""Breadth-first search on a Spark cluster, with frontier and known states on disk."""
