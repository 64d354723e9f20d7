"""The formats of the coverage of a release."""
