"""The model of the processor, as Linux describes it."""

from __future__ import annotations

import contextlib
import platform
from pathlib import Path

CPU_INFO = Path("/proc/cpuinfo")


def processor_model(cpu_info: Path = CPU_INFO) -> str:
    """The model; "unknown" if nothing describes it."""
    with contextlib.suppress(OSError):
        for line in cpu_info.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or "unknown"
