"""Operators with planted, exactly known cliffs, and operators without one, for `autoperf hunt` to be held to."""
