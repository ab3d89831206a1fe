"""Families and faults as their files describe them."""
