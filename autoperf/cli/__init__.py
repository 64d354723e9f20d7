"""The command line: one command a file; parses, calls, maps errors to exit codes."""
