"""Lemmas for z3: what holds for every input, and what does not, with a concrete one."""
