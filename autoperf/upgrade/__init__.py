"""A network on another release or framework: whether it moves, computes the same, and is faster."""
