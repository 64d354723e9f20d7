"""How a case is run: worker processes, the profiler, two clocks, memory, crash isolation."""
