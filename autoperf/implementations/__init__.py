"""How other frameworks compute MXNet's operators, and whether they agree."""
