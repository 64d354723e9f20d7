"""The formats of the releases on this machine."""
