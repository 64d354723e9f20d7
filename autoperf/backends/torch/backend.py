"""PyTorch without loading it."""

from __future__ import annotations

from autoperf.backends.python_framework import PythonFramework

# Without CUDA, whose libraries take several gigabytes: PyPI's own packages of PyTorch for Linux need them.
BACKEND = PythonFramework(
    "torch",
    "PyTorch",
    requirement="torch==2.13.0+cpu",
    local="+cpu",
    profiled=True,
    index="https://download.pytorch.org/whl/cpu",
    # Otherwise its profiler writes lines into the logs of processes.
    settings={"KINETO_LOG_LEVEL": "99"},
)
