"""Random runs of the model as recordings, audited whole and corrupted."""
