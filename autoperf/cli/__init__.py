"""The command line, one command per file: parses options, calls the pipeline, maps errors to exit codes."""
