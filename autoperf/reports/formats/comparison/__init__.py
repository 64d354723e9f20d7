"""The formats of a comparison."""
