"""The formats of the checks of a machine."""
