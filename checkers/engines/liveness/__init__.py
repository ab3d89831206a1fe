"""Laws of liveness decided on a whole graph."""
