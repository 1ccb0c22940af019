"""The ledger: append-only, hash-chained record of all that was run and decided."""
