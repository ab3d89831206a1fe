"""What real clusters have shown of the model."""
