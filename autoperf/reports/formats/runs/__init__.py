"""The formats of a run under several releases."""
