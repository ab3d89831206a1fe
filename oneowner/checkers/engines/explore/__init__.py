"""The search finds the reachable states within some bounds, and the first broken law."""
