"""What a lab needs to make recordings."""
