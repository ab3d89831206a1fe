"""A running cluster, checked as its records come: the audit's fold and laws, what they find told at once and once."""
