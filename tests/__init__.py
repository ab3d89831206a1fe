"""The reasons to trust it."""
