"""Kinds of texts that people hand over, by their first lines, and the verb that reads each."""
