"""The command line, one command per file: parses options, calls the rooms, maps errors to exit codes."""
