"""The bundles that topics lie in."""
