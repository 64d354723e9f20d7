"""Child processes: how they are started, spoken to, limited and ended, and the one account of how each ended."""
