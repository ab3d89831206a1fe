"""The scenarios of recordings, by name."""
