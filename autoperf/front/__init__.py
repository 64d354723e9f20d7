"""What the command line and the functions of Python share: output, sessions, stored reports."""
