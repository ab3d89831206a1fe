"""What settings of broker.conf do together: laws, each with a witness that the model's own decisions compute."""
