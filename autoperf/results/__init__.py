"""Results: statistics, the environment record, and the versioned run and hunt files."""
