"""The traced model and the compiled search."""
