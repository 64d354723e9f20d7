"""JAX without loading it."""

from __future__ import annotations

from dataclasses import replace

from autoperf.backends.python_framework import PythonFramework

# Otherwise JAX makes float32 of float64, and int32 of int64.
BACKEND = PythonFramework("jax", "JAX", requirement="jax", settings={"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"})
JITTED = replace(BACKEND, name="jax:jit", title="jax.jit")
