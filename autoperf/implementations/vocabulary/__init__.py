"""Helper functions that expressions of implementations call: shared ones, and those of each framework."""
