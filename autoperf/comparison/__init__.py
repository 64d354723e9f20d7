"""How two runs differ: pairs, noise, ratios, verdicts, and their tables and page."""
