"""When results are equal: tolerances, comparison of arrays, and fingerprints; values and NumPy alone."""
