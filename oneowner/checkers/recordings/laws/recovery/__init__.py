"""Laws about registration, leadership, and the take-over of a dead broker's units."""
