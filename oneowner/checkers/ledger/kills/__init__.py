"""Real bugs given back to the model: which law kills them, and which release of Pulsar has them."""
