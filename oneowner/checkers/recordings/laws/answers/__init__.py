"""Laws about answers to callers: lookups, admin calls, splits, clocks."""
