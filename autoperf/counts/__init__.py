"""Exact counts of instructions: calls that are counted under valgrind, function by function."""
