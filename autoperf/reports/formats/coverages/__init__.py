"""The formats of the coverage of several releases."""
