"""Child processes: start, messages, time limits, end, and the description of how each ended."""
