"""Dumps are read as callgrind's manual says: compressed names, calls with inclusive costs, objects of callees."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autoperf.core.errors import CounterError
from autoperf.counts.functions import CodeFunction, read_dump

DUMP = """\
# callgrind format
version: 1
creator: callgrind-3.19.0
desc: Trigger: Client Request: forward

positions: line
events: Ir
summary: 1000

ob=(1) /usr/lib/libmxnet.so
fl=(1) ???
fn=(1) MXImperativeInvoke
0 10
+3 5
cfn=(2) mxnet::op::Compute(int)
calls=1 0
* 900
cob=(2) /lib/libc.so.6
cfi=(2) malloc.c
cfn=(3) malloc
calls=2 12
-1 85

fn=(2)
0 600
fi=(3) inlined.h
+1 100
cob=(3) /lib/libm.so.6
cfn=(4) expf
calls=50 0
+2 200

ob=(2)
fn=(3)
12 85

ob=(3)
fn=(4)
0 200
"""
MXNET, LIBC, LIBM = "libmxnet.so", "libc.so.6", "libm.so.6"
INVOKE, COMPUTE = CodeFunction(MXNET, "MXImperativeInvoke"), CodeFunction(MXNET, "mxnet::op::Compute(int)")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "dump"
    path.write_text(DUMP, encoding="utf-8")
    return path


def test_own_instructions_add_up_to_the_summary(path: Path) -> None:
    own = read_dump(path).own
    assert own == {INVOKE: 15, COMPUTE: 700, CodeFunction(LIBC, "malloc"): 85, CodeFunction(LIBM, "expf"): 200}
    assert own.total() == 1000


def test_costs_stand_behind_the_addresses_of_a_dump_that_has_them(path: Path) -> None:
    """As `--dump-instr=yes` in valgrind's variable writes it."""
    expected = read_dump(path)
    addressed = re.sub(r"(?m)^([-+*\d]\S*) (\d+)$", r"0x4a1f \1 \2", DUMP)
    path.write_text(addressed.replace("positions: line", "positions: instr line"), encoding="utf-8")
    assert read_dump(path) == expected


def test_calls_weigh_by_their_instructions_or_by_their_number_where_others_are_called_in_turn(path: Path) -> None:
    """What the allocator takes within a call differs between processes; the number of calls doesn't."""
    calls = read_dump(path).calls
    assert calls[COMPUTE] == {INVOKE: 1}
    assert calls[CodeFunction(LIBC, "malloc")] == {INVOKE: 85}
    assert calls[CodeFunction(LIBM, "expf")] == {COMPUTE: 200}


def test_a_call_that_had_begun_before_counts_its_instructions_apart(path: Path) -> None:
    """Callgrind writes `calls=0` for a function that was active when counting began."""
    path.write_text(DUMP.replace("calls=2 12", "calls=0 12"), encoding="utf-8")
    dump = read_dump(path)
    assert dump.own.total() == 1000
    assert dump.calls[CodeFunction(LIBC, "malloc")] == {INVOKE: 85}


def test_another_file_is_no_dump(path: Path) -> None:
    path.write_text("results\n", encoding="utf-8")
    with pytest.raises(CounterError, match="expected callgrind's format"):
        read_dump(path)
    with pytest.raises(CounterError, match="no counts can be read"):
        read_dump(path.parent / "absent")
