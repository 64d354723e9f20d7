"""`run --int64-tensor on`: refused where the build or the memory lacks it."""

from __future__ import annotations

import json

import pytest

from tests.forked_program import Program


@pytest.mark.parametrize("switch", ["on", "ON"])
def test_a_build_without_them_is_refused(program: Program, switch: str) -> None:
    done = program("run", "--operator", "abs", "--int64-tensor", switch)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--int64-tensor on needs a build with INT64_TENSOR_SIZE, such as MXNet 2.0.0b1" in done.stderr


def test_what_exceeds_the_memory_is_skipped_with_its_size(program: Program) -> None:
    limits = ("--memory-limit", "1GiB", "--processes", "1", "--format", "json")
    done = program("run", "--mxnet", "2.0.0b1", "--operator", "abs,_npi_ones", "--int64-tensor", "on", *limits)
    first, second = json.loads(done.stdout)["outcomes"]
    for outcome in (first, second):
        assert (outcome["status"], outcome["profile"]) == ("skipped", "int64")
        assert "bytes, more than the limit of 1,073,741,824 bytes" in outcome["reason"]


def test_options_of_other_inputs_are_refused(program: Program) -> None:
    for option in (("--draws", "3"), ("--input-profile", "small"), ("--input", "data=2x3"), ("--max-elements", "100")):
        done = program("run", "--operator", "abs", "--int64-tensor", "on", *option)
        assert done.returncode == 2
        assert f"--int64-tensor on has inputs of its own: leave out {option[0]}" in done.stderr
