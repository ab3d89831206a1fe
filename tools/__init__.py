"""What measures and attacks the project; none of it is installed."""
