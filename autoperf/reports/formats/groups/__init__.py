"""The formats of a run or a comparison by operator or category."""
