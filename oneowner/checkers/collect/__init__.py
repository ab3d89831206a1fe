"""Read-only queries to a running cluster, and the files for an audit that hold the answers."""
