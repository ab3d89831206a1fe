"""Scripts that an operator runs beside a cluster: each file is complete, and needs none of this project."""
