"""Reports write a result as text for people and as JSON for programs."""
