"""Networks as cases: their operators' calls with how often each is made, and the whole."""
