"""The bundles that each shedder unloads."""
