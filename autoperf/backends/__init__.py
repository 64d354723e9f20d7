"""Frameworks behind one protocol: each has a folder."""
