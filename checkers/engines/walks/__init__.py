"""Random walks: reproducible, by chance, with coverage."""
