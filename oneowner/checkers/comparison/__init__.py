"""The hand-over guarantees of all systems, from the pins of their laws."""
