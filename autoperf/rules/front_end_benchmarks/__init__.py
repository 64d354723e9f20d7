"""Benchmarks of MXNet's Python front end: calls of users that are no operators of the registry.

Each module has its benchmarks in tuples. Nothing here imports MXNet: a benchmark gets the package from the process
that imports it.
"""
