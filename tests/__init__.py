"""Why to trust it."""
