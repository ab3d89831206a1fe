"""How we find out: engines that explore the model, replay traces and audit real runs."""

VERSION = "0.2.0"
"""The version of the project; the build reads it here."""
