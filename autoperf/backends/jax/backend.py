"""JAX without loading it."""

from __future__ import annotations

from dataclasses import replace

from autoperf.backends.python_framework import PythonFramework
from autoperf.implementations.implementation import JAX

# Otherwise JAX makes float32 of float64, and int32 of int64.
BACKEND = PythonFramework(JAX, requirement="jax", settings={"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"})
JIT = replace(BACKEND, way="jit")
