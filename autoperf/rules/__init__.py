"""Rules for the valid inputs of operators; `operators` has the rules, this package defines and checks them."""
