"""Laws about what callers were told: lookups, admin calls, splits, clocks."""
