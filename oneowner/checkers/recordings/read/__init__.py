"""From lines of files to what was seen: logs by a table of patterns, lookups, polls, calls, sends, ZooKeeper."""
