"""Networks as cases: the distinct calls of their operators with counts, and the whole."""
