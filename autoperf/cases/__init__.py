"""Concrete inputs: canonical and drawn ones, completed and checked by MXNet's own inference."""
