"""Defects of the model that would be missed: single-point mutants, and the row of the ledger that kills each."""
