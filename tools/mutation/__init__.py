"""What of the model would be missed if it were wrong: single-point mutants, and which row of the ledger kills each."""
