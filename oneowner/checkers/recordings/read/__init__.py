"""From lines of files to observations: logs by a table of patterns, lookups, polls, calls, sends, ZooKeeper."""
