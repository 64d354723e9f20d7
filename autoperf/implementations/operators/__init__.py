"""One table for each category: operators, and their expressions in other frameworks."""
