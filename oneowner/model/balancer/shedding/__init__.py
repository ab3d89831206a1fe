"""Which bundles a broker gives up, by shedder."""
