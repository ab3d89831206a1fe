"""The owner of a unit, why it has it, and what would move it."""
