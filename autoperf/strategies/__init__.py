"""Hypothesis strategies and the seeded draw loop; independent of any operator."""

from autoperf.strategies.shapes import axes, axis_sets, broadcast_pairs, divisors, extents, factorings, require, shapes

__all__ = ["axes", "axis_sets", "broadcast_pairs", "divisors", "extents", "factorings", "require", "shapes"]
