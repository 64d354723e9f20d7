"""Implementations of operators in other frameworks: expressions, found by introspection or written by hand."""
