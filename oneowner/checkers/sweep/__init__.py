"""Many searches, walks and faults at once, each a task on Spark."""
