"""The formats of a finding that was measured again."""
