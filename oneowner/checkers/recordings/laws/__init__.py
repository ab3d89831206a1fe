"""Logs, lookups, polls and ZooKeeper history of a recorded run, judged beside its channel."""
