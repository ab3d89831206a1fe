"""What each system promises of a hand-over, by what the ledger has of its laws."""
