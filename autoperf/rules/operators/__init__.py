"""The rules of MXNet's operators, one family a file; nothing else names operators to draw inputs for."""
