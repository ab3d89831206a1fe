"""The changes between two releases."""
