"""PyTorch without loading it."""

from __future__ import annotations

from dataclasses import replace

from autoperf.backends.python_framework import PythonFramework
from autoperf.implementations.implementation import TORCH

# Without CUDA, whose libraries take several gigabytes: PyPI's own packages of PyTorch for Linux need them.
BACKEND = PythonFramework(
    TORCH,
    requirement="torch==2.13.0+cpu",
    local="+cpu",
    profiled=True,
    countable=True,
    index="https://download.pytorch.org/whl/cpu",
    # Otherwise its profiler writes lines into the logs of processes.
    settings={"KINETO_LOG_LEVEL": "99"},
)
COMPILE = replace(
    BACKEND,
    way="compile",
    profiled=False,
    countable=False,
    # A pool of processes would compile one case while another is timed; each kernel is compiled where it is needed.
    settings={**BACKEND.settings, "TORCHINDUCTOR_COMPILE_THREADS": "1"},
    # The processes of a run share compiled kernels; a run begins without any, so that it measures cold compilations.
    cache="TORCHINDUCTOR_CACHE_DIR",
    needs_compiler=True,
    # Kernels are compiled for a number of threads: the trial checks those that the workers time.
    in_forks={},
)
