"""The engine asks of every explored step of the model whether an abstract specification allows it."""
