"""What a command does, without its user interface."""
