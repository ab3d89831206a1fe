"""Reports on what brokers logged of placements, sheds and splits."""
