"""Public reports as inputs, each with its right answer."""
