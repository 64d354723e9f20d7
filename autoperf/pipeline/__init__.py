"""The work of each command, without its user interface: requests, plans, schedules, sessions."""
