"""How many processors other programs use, in the process that starts the others: these import what samples need."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from autoperf.core.coverage import Check, Health
from autoperf.core.machine import is_busy
from autoperf.measurement.conditions import ConditionsMonitor
from autoperf.measurement.placement import usable_processors
from autoperf.reports.units import count

GLANCE_SECONDS = 0.2


def present_load() -> float:
    """How many processors other programs use: the load average, or what they take at present if that is less.

    The average still counts programs that ended within the last minutes, such as pip or an earlier command.
    """
    load = os.getloadavg()[0]
    if not is_busy(load, len(usable_processors())):
        return load
    monitor = ConditionsMonitor()
    time.sleep(GLANCE_SECONDS)
    return min(load, monitor.close().load)


def load_check(load: float, processors: int) -> Check:
    """Another process on a processor that MXNet uses affects all measurements."""
    finding = f"other programs use {load:.1f} of {count(processors, 'processor')}"
    if is_busy(load, processors):
        return Check(
            "load", Health.WARNING, finding, "stop other programs (`top` lists them), or expect wide intervals"
        )
    return Check("load", Health.OK, finding)


def disturbances() -> Iterator[str]:
    """A sentence on a busy machine; nothing on an idle one."""
    check = load_check(present_load(), len(usable_processors()))
    if check.advice:
        yield f"this machine is busy: {check.finding}; {check.advice}"
