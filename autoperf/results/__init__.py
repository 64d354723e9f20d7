"""What was measured: statistics, the environment record and the versioned run file."""
