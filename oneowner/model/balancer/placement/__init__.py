"""The broker that each strategy chooses for a bundle."""
