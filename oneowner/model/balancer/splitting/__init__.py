"""The positions and the triggers of splits of bundles."""
