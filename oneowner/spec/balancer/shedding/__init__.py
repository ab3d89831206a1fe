"""Laws of which bundles a broker gives up, or hands to which other broker."""
