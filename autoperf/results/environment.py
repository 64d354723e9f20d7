"""Where a figure comes from: the machine, its state, versions, and every setting that MXNet reads."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

PREFIXES = ("OMP_", "MXNET_", "KMP_", "GOMP_", "MKL_", "DNNL_", "ONEDNN_", "OPENBLAS_")
CPU_INFO = Path("/proc/cpuinfo")
GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def record(build: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Everything as plain values; `build` adds what only the loaded library knows (features, threads)."""
    memory = psutil.virtual_memory()
    return {
        "machine": {
            "system": platform.platform(),
            "architecture": platform.machine(),
            "cpu": cpu_model(CPU_INFO),
            "processors": os.cpu_count(),
            "allowed": len(os.sched_getaffinity(0)),
            "memory_bytes": memory.total,
            "governor": read_text(GOVERNOR),
        },
        "state": {"load": list(os.getloadavg()), "available_bytes": memory.available},
        "versions": {name: version_of(name) for name in ("autoperf", "numpy", "hypothesis", "jinja2")}
        | {"python": platform.python_version()},
        "settings": settings(os.environ),
        "build": dict(build or {}),
        "git": git_revision(Path.cwd()),
    }


def settings(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that OpenMP, MXNet, oneDNN and BLAS read."""
    return {name: value for name, value in sorted(environment.items()) if name.startswith(PREFIXES)}


def cpu_model(source: Path) -> str | None:
    """The processor's name as Linux tells it."""
    text = read_text(source) or ""
    names = (line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name"))
    return next(names, None)


def read_text(path: Path) -> str | None:
    """A small file's text; None where it isn't there."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return None


def version_of(package: str) -> str | None:
    """The installed version of a package; None where it isn't installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def git_revision(folder: Path) -> str | None:
    """The revision checked out in `folder`, with `+` where files were changed; None outside a checkout."""
    try:
        told = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--abbrev=12"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return told.stdout.strip() or None
