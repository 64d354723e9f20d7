"""Runs over time: the store, series, their steps, report and page."""
