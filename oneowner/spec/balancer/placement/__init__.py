"""Laws of the broker that each strategy chooses for a bundle."""
