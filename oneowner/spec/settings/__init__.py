"""Laws of settings of broker.conf in combination, each with a witness computed by the model's own decisions."""
