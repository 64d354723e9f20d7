"""Files of runs and hunts: headers, readers, writers, the environment."""
