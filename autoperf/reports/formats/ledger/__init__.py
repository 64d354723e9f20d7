"""The formats of a check against a ledger."""
