"""Dumps are read as MXNet writes them, ends missing or not."""

from __future__ import annotations

import json

import pytest

from autoperf.backends.mxnet.capi.profiler import Held, kernels, storage
from autoperf.backends.protocol import Kernel

HEAD = '{\n    "traceEvents": [\n        {\n            "ph": "M",\n            "args": {"name": "cpu/0"}\n        }'


def event(name: str, phase: str, time: int, thread: int = 7, *, category: str = "operator", extra: str = "") -> str:
    return (
        f',\n\n    {{\n        "name": "{name}",\n        "cat": "{category}",\n        "ph": "{phase}",\n'
        f'        "ts": {time},\n{extra}        "pid": 0,\n        "tid": {thread}\n    }}\n'
    )


def pair(name: str, start: int, end: int, **more: object) -> str:
    return event(name, "B", start, **more) + event(name, "E", end, **more)  # type: ignore[arg-type]


def task(name: str, start: int, end: int, identity: int) -> str:
    extra = f'        "id": {identity},\n'
    return event(name, "b", start, extra=extra) + event(name, "e", end, extra=extra)


def held(time: int, size: int, device: str = "cpu/0") -> str:
    return (
        f',\n    {{\n        "name": "Memory: {device}",\n        "cat": "Device Storage",\n        "ph": "C",\n'
        f'        "ts": {time},\n        "args": {{ "Memory: {device}": {size} }},\n'
        '        "pid": 9,\n        "tid": 1\n    }'
    )


def test_a_kernel_that_is_written_twice_counts_once() -> None:
    dump = HEAD + pair("exp", 10, 14) + task("exp", 10, 13, 3)
    assert kernels(dump.encode()) == [Kernel("exp", 10, 4)]


def test_asynchronous_pairs_are_read_where_there_are_no_others() -> None:
    dump = HEAD + task("exp", 20, 25, 1) + task("exp", 10, 13, 2)
    assert kernels(dump.encode()) == [Kernel("exp", 10, 3), Kernel("exp", 20, 5)]


def test_threads_and_nesting_are_told_apart() -> None:
    dump = HEAD + event("a", "B", 1) + event("a", "B", 2, 8) + event("a", "E", 9, 8) + event("a", "B", 3)
    dump += event("a", "E", 4) + event("a", "E", 10)
    assert kernels(dump.encode()) == [Kernel("a", 1, 9), Kernel("a", 2, 7), Kernel("a", 3, 1)]


def test_half_events_are_left_out() -> None:
    dump = HEAD + event("a", "E", 1) + pair("b", 2, 3) + event("c", "B", 4)
    assert kernels(dump.encode()) == [Kernel("b", 2, 1)]


@pytest.mark.parametrize("end", ["", '\n\n    ],\n    "displayTimeUnit": "ms"\n}\n', ',\n\n    {\n        "na'])
def test_the_end_of_the_file_doesnt_matter(end: str) -> None:
    assert kernels((HEAD + pair("exp", 10, 14) + end).encode()) == [Kernel("exp", 10, 4)]


def test_what_the_engine_does_within_an_operator_in_python_is_its_own_kernel() -> None:
    dump = HEAD + pair("twice::DeleteVariable", 1, 2) + pair("twice::_copy", 3, 4)
    assert kernels(dump.encode()) == [Kernel("DeleteVariable", 1, 1), Kernel("twice::_copy", 3, 1)]


def test_other_categories_are_no_kernels() -> None:
    dump = (
        HEAD
        + pair("MXNDArrayWaitAll", 1, 2, category="MXNET_C_API")
        + pair("Custom::f", 3, 4, category="Custom Operator")
    )
    assert kernels(dump.encode()) == [Kernel("Custom::f", 3, 1)]


def test_storage_comes_by_time_and_device() -> None:
    dump = HEAD + held(30, 0) + held(10, 64) + pair("exp", 1, 2) + held(20, 8, "gpu/1")
    assert storage(dump.encode()) == [Held(10, "cpu/0", 64), Held(20, "gpu/1", 8), Held(30, "cpu/0", 0)]


def test_an_empty_dump_has_nothing() -> None:
    assert kernels(b"") == []
    assert storage(b"") == []


def test_what_the_tests_write_is_a_chrome_trace() -> None:
    dump = HEAD + pair("exp", 10, 14) + task("exp", 10, 13, 3) + held(1, 2) + "]}"
    assert len(json.loads(dump)["traceEvents"]) == 6
