"""What a running cluster is asked, read-only, and how the answers become the files that an audit reads."""
