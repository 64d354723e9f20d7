"""Benchmarks of MXNet's Python front end: what users call that is no operator of the registry.

Each module has benchmarks of one kind in a tuple BENCHMARKS. Nothing here imports MXNet: a benchmark gets the package
from the process that imports it.
"""
