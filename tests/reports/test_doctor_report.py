from __future__ import annotations

from collections.abc import Callable

import msgspec
from rich.console import RenderableType
from syrupy.assertion import SnapshotAssertion

from autoperf.reports import doctor
from autoperf.reports.doctor import Check, Health

CHECKS = (
    Check("Python", Health.OK, "3.11.2"),
    Check(
        "frequency governor", Health.WARNING, "powersave: clock speeds change while measuring, so that figures scatter",
        "run `sudo cpupower frequency-set --governor performance`",
    ),
    Check("libgomp", Health.PROBLEM, "libgomp.so.1 is missing", "apt-get install libgomp1"),
)  # fmt: skip


def test_table(rendered: Callable[[RenderableType, int], str], snapshot: SnapshotAssertion) -> None:
    assert rendered(doctor.table(CHECKS), 80) == snapshot


def test_worst() -> None:
    assert doctor.worst(CHECKS) is Health.PROBLEM
    assert doctor.worst(CHECKS[:2]) is Health.WARNING
    assert doctor.worst(()) is Health.OK


def test_json_reads_back() -> None:
    document = msgspec.json.decode(doctor.to_json(CHECKS))
    assert document["status"] == "problem"
    assert msgspec.convert(document["checks"], tuple[Check, ...]) == CHECKS
