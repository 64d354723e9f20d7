"""What each command does, without its user interface: requests, plans, schedules, sessions."""
