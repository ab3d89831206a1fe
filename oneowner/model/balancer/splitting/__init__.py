"""Where a bundle is split, and when."""
