"""Rules for the valid inputs of operators; `operators` holds the rules, this package what they are built from."""
