"""A run file is read an outcome at a time, whole or cut off, and what was left out is said."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from autoperf.core.errors import CaseFileError
from autoperf.core.outcome import Status
from autoperf.runs.run_reader import MAX_NOTICES, LazyOutcomes, RunReader
from tests.values import HEADER, outcome, passed, steady, write_run
from tools.stored_run import read_run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    run = [outcome(number, passed(steady(10.0 + number))) for number in range(4)]
    return write_run(tmp_path / "run.ndjson", [*run, outcome(4, status=Status.SKIPPED, reason="too large")])


def rewrite(path: Path, change: object) -> Path:
    path.write_bytes(change(path.read_bytes()))  # type: ignore[operator]
    return path


def test_outcomes_are_found_in_order_and_by_case(path: Path) -> None:
    with RunReader(path) as run:
        assert run.header == HEADER
        assert run.end
        assert (len(run), run.notices) == (5, ())
        assert [one.case for one in run] == [f"exp/{number:08x}" for number in range(5)]
        assert run.outcome("exp/00000004").reason == "too large"
        assert "exp/00000003" in run
        assert "exp/00000009" not in run
        with pytest.raises(KeyError):
            run.outcome("exp/00000009")


def test_walking_may_be_interrupted_by_looking_up(path: Path) -> None:
    with RunReader(path) as run:
        assert [run.outcome("exp/00000002").case and one.case for one in run] == [one.case for one in run]


def test_a_run_that_was_killed_is_read_up_to_its_last_whole_line(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:5]) + lines[5][: len(lines[5]) // 2])
    with RunReader(path) as run:
        assert len(list(run)) == len(run) == 3
        assert run.notices == (f"{path}: the run was cut off after 3 outcomes within line 6, which is left out",)


def test_a_run_without_an_end_says_so(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    with RunReader(path) as run:
        assert run.notices == (f"{path}: the run was cut off after 5 outcomes",)
    path.write_bytes(b"".join(lines[:3]))
    with RunReader(path) as run:
        assert run.notices == (f"{path}: the run was cut off after 1 outcome",)


def test_empty_lines_are_left_out_at_the_end_alone(path: Path) -> None:
    rewrite(path, lambda text: text + b"\n \n")
    with RunReader(path) as run:
        assert (len(run), run.notices) == (5, ())
    rewrite(path, lambda text: text.replace(b"\n", b"\n\n", 3))
    with pytest.raises(CaseFileError, match=r"line 2: invalid empty line: expected JSON"):
        RunReader(path)
    rewrite(path, lambda text: b"\n" + text)
    with pytest.raises(CaseFileError, match=r"line 1: invalid empty line: expected JSON; remove the line"):
        RunReader(path)


def test_an_interrupted_run_says_so(path: Path) -> None:
    rewrite(path, lambda text: text.replace(b'"complete":true', b'"complete":false'))
    with RunReader(path) as run:
        assert run.notices == (f"{path}: the run was interrupted after 5 outcomes",)


def test_of_a_case_that_comes_twice_the_last_counts(tmp_path: Path) -> None:
    run = [outcome(0, passed(steady(10.0))), outcome(1, passed(steady(20.0))), outcome(0, passed(steady(30.0)))]
    with RunReader(write_run(tmp_path / "run.ndjson", run)) as reader:
        for found in (list(reader), list(LazyOutcomes(reader))):
            assert [one.case for one in found] == ["exp/00000000", "exp/00000001"]
        assert (len(reader), reader.statuses, reader.seconds) == (2, {"measured": 2}, 1.0)
        assert reader.end
        assert (reader.end.asked, reader.end.measured) == (2, 2)
        forward = reader.outcome("exp/00000000").forward
        assert forward
        assert forward.kernel_us
        assert forward.kernel_us.median == pytest.approx(30, rel=0.01)
        assert reader.notices == (
            f"{reader.path}: 1 outcome is of repeated cases (exp/00000000); the last of each counts",
        )
    assert read_run(reader.path).outcomes == tuple(found)


def test_a_repeated_case_has_the_calls_of_all_networks(tmp_path: Path) -> None:
    """Two files of cases may have networks that make the same call."""
    first = msgspec.structs.replace(outcome(0, passed(steady(10.0))), calls={"one": 2}, network_calls={"one": 9})
    second = msgspec.structs.replace(outcome(0, passed(steady(20.0))), calls={"two": 3})
    with RunReader(write_run(tmp_path / "run.ndjson", [first, second])) as reader:
        (found,) = reader
    assert (found.forward, found.calls, found.network_calls) == (second.forward, {"one": 2, "two": 3}, {"one": 9})


def test_a_surplus_outcome_is_told_and_read(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:6], lines[5].replace(b"exp/00000003", b"exp/0000000f"), *lines[6:]]))
    with RunReader(path) as run:
        assert (len(list(run)), run.end and run.end.asked) == (6, 5)
        assert run.notices == (f"{path}: the run says 5 outcomes, but the file has 6: lines were added to it",)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: b"", "is empty"),
        (lambda text: text[:30], "line 1: "),
        (lambda text: b'{"type": "cases", "version": 1}\n', "expected type 'run' in line 1, not 'cases'"),
        (lambda text: text.replace(b'"version":5,', b'"version":9,', 1), "version 9 of the run format"),
        (lambda text: text.replace(b'"started":"2024', b'"started":"junk', 1), "line 1: invalid started 'junk-01-01T"),
        (lambda text: text + b'{"type":"outcome"}\n', "line 9: unexpected line after the end in line 8"),
        (
            lambda text: text.replace(b'{"type":"machine"', b'{"type":"what"'),
            "line 2: .*the record of a machine",
        ),
        (lambda text: text.replace(b'"asked":5', b'"asked":6'), "line 8: the run says 6 outcomes, but the file has 5"),
    ],
)
def test_what_is_broken_is_named_by_its_line(path: Path, change: object, words: str) -> None:
    with pytest.raises(CaseFileError, match=words):
        RunReader(rewrite(path, change))


@pytest.mark.parametrize(
    ("was", "now", "reason"),
    [
        (b'{"type":"outcome"', b'{"type":"what"', "Invalid value 'what'"),
        (b'{"type":"outcome"', b'{{"type":"outcome"', "JSON is malformed"),
        (b'{"type":"outcome"', b"\xff", "not UTF-8|malformed"),
        (b'"case":"exp/00000000"', b'"case":7', "Expected `str`, got `int`"),
        (b'"case":"exp/00000000"', b'"case":""', "its case has no id"),
        (b'"profile":"common"', b'"profile":5', "Expected `str`, got `int`"),
        (b'"profile":"common"', b'"profile":"\\ud800"', "a lone surrogate"),
        (b'"status":"measured"', b'"status":"mesured"', "mesured"),
        (b'"dtype":"float32"', b'"dtype":"float33"', "unknown dtype 'float33'; did you mean float32"),
        (b'"processes":[3,3,3]', b'"processes":[3,3]', "expected a sum of 9"),
        (b'"loops":1', b'"loops":0', "invalid loops 0: expected at least 1"),
        (b'"samples":[', b'"samples":[-5,', "expected a sum of 10"),
        (
            b'"loops":1',
            b'"loops":1,"speed":1e308',
            "invalid speed 1e\\+308 of the machine: expected from 0.0001 to 1000",
        ),
        (b'"median":10.0', b'"median":1e300,"was":10.0', "expected them in ascending order"),
        (b'"max":10.01', b'"max":1e99,"was":10.01', "invalid min 9.995 and max 1e\\+99: expected 9.995 to 10.015"),
        (b'"case":"exp/00000000"', b'"machine":"x","case":"exp/00000000"', "no line before it has machine x"),
        (b'"count":9', b'"count":10', "invalid count 10: expected 9, the number of samples"),
    ],
)
def test_a_line_that_cannot_be_read_does_not_cost_the_rest(path: Path, was: bytes, now: bytes, reason: str) -> None:
    assert was in path.read_bytes()
    rewrite(path, lambda text: text.replace(was, now, 1))
    with RunReader(path) as run:
        assert [one.case for one in run] == [f"exp/{number:08x}" for number in range(1, 5)]
        assert [one.case for one in LazyOutcomes(run)] == [f"exp/{number:08x}" for number in range(1, 5)]
        (notice,) = run.notices
        assert re.match(rf"{re.escape(str(path))}, line 3: .*({reason}).*; the line is left out", notice)
        assert (run.unreadable, run.end and run.end.asked, len(run)) == (1, 5, 4)


def test_many_lines_that_cannot_be_read_are_counted(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1] + b"x\n" * 50 + b"".join(lines[2:]))
    with RunReader(path) as run:
        assert len(run) == 5
        assert len(run.notices) == MAX_NOTICES + 1
        assert run.notices[-1] == f"{path}: 50 unreadable lines in total are left out"


def test_an_end_that_cannot_be_read_is_none(path: Path) -> None:
    rewrite(path, lambda text: text.replace(b'"asked":5', b'"asked":"5"'))
    with RunReader(path) as run:
        assert (run.end, len(run)) == (None, 5)
        assert [("line 8" in notice, "cut off" in notice) for notice in run.notices] == [(True, False), (False, True)]


def test_two_lines_that_lost_what_is_between_them_are_both_left_out(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1] + lines[2].rstrip() + b"".join(lines[3:]))
    with RunReader(path) as run:
        assert [one.case for one in run] == [f"exp/{number:08x}" for number in range(2, 5)]
        assert run.unreadable == 1


def test_a_byte_order_mark_and_a_missing_last_line_feed_are_accepted(path: Path) -> None:
    rewrite(path, lambda text: b"\xef\xbb\xbf" + text.removesuffix(b"\n"))
    with RunReader(path) as run:
        assert (len(run), run.notices, run.header) == (5, (), HEADER)
        assert [one.case for one in run] == [f"exp/{number:08x}" for number in range(5)]


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(CaseFileError, match="No such file"):
        RunReader(tmp_path / "missing.ndjson")
    with pytest.raises(CaseFileError, match="Is a directory"):
        RunReader(tmp_path)
