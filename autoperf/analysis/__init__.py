"""What two runs say of each other: figures paired by case, ratios with their intervals, verdicts."""
