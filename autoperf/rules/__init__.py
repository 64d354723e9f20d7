"""What is legal for an operator: `operators` holds the rules, and beside it stands what they are written in."""
