"""Laws of a streams group that its coordinator leads (KIP-1071)."""
