"""Arithmetic on samples: medians, intervals, slopes, corrections."""
