"""Comparison of two runs: figures paired by case, ratios with their intervals, verdicts."""
