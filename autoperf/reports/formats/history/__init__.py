"""The formats of a history."""
