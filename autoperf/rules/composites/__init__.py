"""Composites: computations of many small operators, as detection, training and augmentation code has them.

Each module has the composites of one family; a composite is a function that builds a graph from sizes.
"""
