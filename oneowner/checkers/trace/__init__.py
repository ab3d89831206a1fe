"""Functions of the model as expressions over symbolic values."""
