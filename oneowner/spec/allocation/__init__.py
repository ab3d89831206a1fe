"""Laws of assignment decisions that other systems make."""
