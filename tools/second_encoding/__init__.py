"""A second, independent encoding of the model's families, as a referee of the first."""
