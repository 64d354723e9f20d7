"""How cases are run and timed: requests, plans, schedules, sessions, and the processes."""
