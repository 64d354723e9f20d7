"""autoperf from Python: measuring, comparing and loading, and opperf's functions."""
