"""Every report says where its figures come from."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.reports.provenance import provenance_lines
from autoperf.results.environment import machine_of
from autoperf.results.runfile import Provenance, command_line, provenance_of
from tests.values import ENVIRONMENT, HEADER, MACHINE


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("/opt/venv/bin/autoperf", "run", "--operator", "broadcast_*"), "autoperf run --operator 'broadcast_*'"),
        (("/src/autoperf/__main__.py", "run"), "autoperf run"),
        ((), ""),
    ],
)
def test_a_command_is_told_as_a_shell_takes_it(words: tuple[str, ...], text: str) -> None:
    assert command_line(words) == text


def test_several_machines_share_one_provenance() -> None:
    other = machine_of(msgspec.structs.replace(ENVIRONMENT, machine="a", git="1f", mxnet={"threads": 1}))
    origin = provenance_of(HEADER, (MACHINE, other))
    assert (origin.machine, origin.processor, origin.threads) == ("a, bench", "Some CPU @ 2.50GHz", None)
    assert (origin.revision, provenance_of(HEADER, (MACHINE,)).threads) == ("1f", 2)


MADE = Provenance(
    release="1.9.1", build="/venv/lib/python3.11/site-packages/mxnet/libmxnet.so", revision="d260dcc08671aa",
    machine="m", processor="CPU", threads=1, date="today", autoperf="0.1.0", seed=0,
    command="autoperf run --operator exp",
)  # fmt: skip


@pytest.mark.parametrize(
    ("build", "command", "named"),
    [
        (MADE.build, MADE.command, True),
        ("/cache/releases/1.9.1/mxnet/libmxnet.so", MADE.command, True),
        ("/src/build/libmxnet.so", MADE.command, False),
        ("/src/build/libmxnet.so", "autoperf run --mxnet /src/build", True),
    ],
)
def test_a_build_that_is_named_has_its_path_on_request_alone(build: str, command: str, named: bool) -> None:
    provenance = msgspec.structs.replace(MADE, build=build, command=command)
    short, full = (" ".join(provenance_lines(provenance, verbose=verbose)) for verbose in (False, True))
    assert (build in short) != named
    assert build in full
    assert "revision" not in short
    assert "in a folder at revision d260dcc08671:" in full
