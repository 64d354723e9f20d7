"""NumPy without loading it."""

from __future__ import annotations

from autoperf.backends.python_framework import PythonFramework

BACKEND = PythonFramework("numpy", "NumPy", requirement="numpy", differentiates=False)
