"""The rules of MXNet's operators, one file for each group of related operators."""
