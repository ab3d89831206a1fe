"""A running cluster, checked as its records arrive: the audit's findings, reported at once, and once."""
