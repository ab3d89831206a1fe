"""The requirements put to every hand-over of ownership: R0, and the promises of comparable systems."""
