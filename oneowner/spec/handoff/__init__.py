"""What every hand-over of ownership is asked: R0, and what else its kin promise."""
