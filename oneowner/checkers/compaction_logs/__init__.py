"""Laws of whole logs: every short log over an alphabet, and many random longer ones."""
