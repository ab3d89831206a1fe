"""Reports on placements, sheds and splits in brokers' logs."""
