"""NumPy without loading it."""

from __future__ import annotations

from autoperf.backends.python_framework import PythonFramework
from autoperf.implementations.implementation import NUMPY

BACKEND = PythonFramework(NUMPY, requirement="numpy", countable=True)
