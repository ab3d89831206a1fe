"""The search finds what can happen within some bounds, and what breaks first."""
