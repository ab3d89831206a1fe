"""What must be true of what other systems decide of who is given what."""
