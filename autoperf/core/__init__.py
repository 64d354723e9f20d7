"""Values that all packages share; imports nothing else of autoperf."""
