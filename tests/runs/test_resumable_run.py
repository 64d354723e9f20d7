"""A run file that was cut off anywhere is taken up where its last whole outcome ends, by one run at a time."""

from __future__ import annotations

import datetime as dt
import itertools
import os
import re
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.machine import Reference
from autoperf.core.outcome import METHOD, Outcome, ResumeMark, Status
from autoperf.runs.run_reader import LazyOutcomes, RunReader
from autoperf.runs.run_writer import ResumableRun, RunWriter, open_for_resume
from autoperf.runs.runfile import machine_of
from tests.values import ENVIRONMENT, HEADER, MACHINE, outcome, passed, steady, write_run
from tools.stored_run import read_run

MARK = ResumeMark(
    "2024-02-02T00:00:00+00:00", ("autoperf", "run", "--resume", "run.ndjson"), "here", (0.5, 0.25, 0.125)
)


def measured(number: int) -> Outcome:
    return outcome(number, passed(steady(10.0)), seconds=0.25)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    run = [measured(0), measured(1), outcome(2, status=Status.SKIPPED, reason="too large")]
    return write_run(tmp_path / "run.ndjson", run)


def cut(path: Path, lines: int, further: int = 0) -> Path:
    """Leaves the first lines, so many whole ones after that, and bytes of the next."""
    all_lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(all_lines[: lines + 1]) + all_lines[lines + 1][:further])
    return path


def go_on(begun: ResumableRun, *outcomes: Outcome, complete: bool = True) -> None:
    with RunWriter(begun.path, begun.header, MACHINE, resumed=begun, mark=MARK) as writer:
        for one in outcomes:
            writer.add(one)
        writer.finish(2.0, complete)


def test_a_run_is_taken_up_wherever_it_was_cut_off(path: Path) -> None:
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    ends = list(itertools.accumulate(map(len, lines)))
    near = {end + step for end in ends for step in (-1, 0, 1)} | set(range(ends[1], ends[-1], 211))
    for length in sorted(near & set(range(ends[1], ends[-1]))):
        path.write_bytes(whole[:length])
        begun = open_for_resume(path)
        # All that is missing is the last line feed.
        assert begun.complete == (length == ends[-1] - 1)
        kept = whole[:length].count(b"\n") - 2
        assert begun.cases == {f"exp/{number:08x}" for number in range(kept)}
        go_on(begun, *map(measured, range(kept, 3)))
        assert path.read_bytes().startswith(b"".join(lines[: kept + 2]))
        run = read_run(path)
        assert [one.case for one in run.outcomes] == [f"exp/{number:08x}" for number in range(3)]
        assert run.end
        assert (run.end.asked, run.end.complete, run.end.resumed) == (3, True, 1)


def test_a_run_that_goes_on_elsewhere_has_both_machines(path: Path) -> None:
    begun = open_for_resume(cut(path, 2))
    other = machine_of(ENVIRONMENT, Reference("a probe", 2.0, "2026-01-01T00:00:00+00:00"))
    with RunWriter(path, begun.header, other, resumed=begun, mark=MARK) as writer:
        writer.add(msgspec.structs.replace(measured(2), machine=other.id))
    with RunReader(path) as run:
        assert run.machines == (MACHINE, other)
        assert [run.machine(one) for one in run] == [MACHINE, other]
    # It is there already when the run is resumed once more.
    go_on(open_for_resume(path), measured(3))
    with RunReader(path) as run:
        assert (run.machines, run.notices) == ((MACHINE, other), ())


def test_the_end_of_an_interrupted_run_gives_way(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"complete":true', b'"complete":false'))
    begun = open_for_resume(path)
    assert begun.statuses == Counter({Status.MEASURED: 2, Status.SKIPPED: 1})
    go_on(begun, measured(3))
    run = read_run(path)
    assert (len(run.outcomes), run.end and run.end.measured) == (4, 3)


def test_seconds_add_up_and_every_beginning_is_marked(path: Path) -> None:
    go_on(open_for_resume(cut(path, 2, 17)), measured(1), complete=False)
    go_on(open_for_resume(path), measured(2), measured(3))
    run = read_run(path)
    assert run.end
    assert (run.end.seconds, run.end.resumed) == (0.25 + 2.0 + 2.0, 2)
    unmarked = msgspec.UNSET
    assert [one.resumed for one in run.outcomes] == [unmarked, MARK, MARK, unmarked]


def test_a_file_that_is_dated_before_its_run_took_the_time_of_its_outcomes(path: Path) -> None:
    os.utime(cut(path, 3), (0, 0))
    begun = open_for_resume(path)
    begun.file.close()
    assert begun.seconds == 0.5


def test_a_resumed_run_leaves_out_replaced_lines_but_those_that_tell_of_a_resume(path: Path) -> None:
    for first in (3, 5):
        begun = open_for_resume(path)
        with RunWriter(path, begun.header, MACHINE, resumed=begun, mark=MARK) as writer:
            for number in (first, first + 1):
                writer.add(measured(number))
            for number in (first, first + 1):
                writer.add(msgspec.structs.replace(measured(number), visit=2), replaced=Status.MEASURED)
    begun = open_for_resume(path)
    assert (begun.resumed, begun.has_replaced, begun.statuses[Status.MEASURED]) == (2, True, 6)
    before = path.read_bytes().splitlines()
    go_on(begun, measured(7))
    after = path.read_bytes().splitlines()
    assert after[:-2] == [line for place, line in enumerate(before) if place not in (6, 10)]
    run = read_run(path)
    assert run.end
    assert (run.end.asked, run.end.resumed) == (8, 3)
    assert [one.visit for one in run.outcomes[3:]] == [2, 2, 2, 2, msgspec.UNSET]


@pytest.mark.parametrize(
    ("waits", "notes", "is_unfinished"),
    [
        (False, (), False),
        (False, ("2 of 5 processes gave no samples: skipped: interrupted",), True),
        (False, ("2 of 5 processes gave no samples: crashed: SIGSEGV; skipped: interrupted",), True),
        (False, ("2 of 5 processes gave no samples: crashed: SIGSEGV",), False),
        (True, (), True),
        (True, ("1 of 3 processes gave no samples: crashed: SIGSEGV",), True),
        (False, ("not counted: interrupted",), True),
    ],
)
def test_a_case_that_a_part_of_its_processes_measured_is_measured_again(
    tmp_path: Path, *, waits: bool, notes: tuple[str, ...], is_unfinished: bool
) -> None:
    forward = msgspec.structs.replace(passed(steady(10.0)), notes=notes)
    partial = msgspec.structs.replace(measured(0), forward=forward, waits=waits or msgspec.UNSET)
    path = write_run(tmp_path / "run.ndjson", [partial])
    path.write_bytes(path.read_bytes().replace(b'"complete":true', b'"complete":false'))
    begun = open_for_resume(path)
    assert (partial.case in begun.unfinished, partial.case in begun.cases) == (is_unfinished, not is_unfinished)
    whole = msgspec.structs.replace(measured(0), forward=passed(steady(20.0)))
    go_on(begun, *([whole] if is_unfinished else []), measured(1))
    with RunReader(path) as run:
        assert [one.forward for one in run] == [(whole if is_unfinished else partial).forward, measured(1).forward]
        assert run.end
        assert (run.end.asked, run.end.measured, run.notices) == (2, 2, ())
    assert path.read_bytes().count(b"\n") == 5


def test_a_case_that_lost_its_process_before_a_later_visit_goes_on(tmp_path: Path) -> None:
    lost = outcome(0, status=Status.CRASHED, reason="SIGKILL", waits=True)
    path = write_run(tmp_path / "run.ndjson", [lost, outcome(1, status=Status.CRASHED, reason="SIGSEGV")])
    path.write_bytes(path.read_bytes().replace(b'"complete":true', b'"complete":false'))
    begun = open_for_resume(path)
    assert begun.unfinished == {lost.case: Status.CRASHED}
    go_on(begun, measured(0))
    run = read_run(path)
    assert run.end
    assert (run.end.asked, run.end.measured, run.end.crashed) == (2, 1, 1)


def test_a_run_that_ended_waits_for_no_visit(tmp_path: Path) -> None:
    """A time budget may end before the visit to a case."""
    begun = open_for_resume(write_run(tmp_path / "run.ndjson", [msgspec.structs.replace(measured(0), waits=True)]))
    assert begun.complete
    begun.file.close()


def test_the_time_of_a_killed_run_is_no_more_than_its_file_took(path: Path) -> None:
    """Cases beside each other take longer than the run."""
    cut(path, 3)
    begin = dt.datetime.fromisoformat(HEADER.started).timestamp()
    for seconds, expected in ((0.3, 0.3), (1000.0, 0.5)):
        os.utime(path, (begin + seconds, begin + seconds))
        begun = open_for_resume(path)
        begun.file.close()
        assert begun.seconds == pytest.approx(expected, abs=0.001)


def test_a_run_of_another_method_is_not_mixed_with_this_one(path: Path) -> None:
    cut(path, 2)
    path.write_bytes(path.read_bytes().replace(b'"method":%d' % METHOD, b'"method":%d' % (METHOD - 1), 1))
    with pytest.raises(CaseFileError, match="can't be resumed: it was measured by method"):
        open_for_resume(path)


def test_nothing_changes_before_the_run_goes_on(path: Path) -> None:
    cut(path, 2, 17)
    before = path.read_bytes()
    begun = open_for_resume(path)
    begun.file.close()
    assert path.read_bytes() == before


def test_a_run_that_fails_after_it_was_taken_up_keeps_its_file(path: Path) -> None:
    begun = open_for_resume(cut(path, 1))
    with pytest.raises(RuntimeError), RunWriter(path, begun.header, MACHINE, resumed=begun, mark=MARK):
        raise RuntimeError
    assert read_run(path).outcomes == ()


def test_a_complete_run_has_nothing_to_resume(path: Path) -> None:
    begun = open_for_resume(path)
    assert begun.complete
    begun.file.close()


def test_a_run_that_goes_on_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "run.ndjson"
    with RunWriter(path, HEADER, MACHINE) as writer:
        writer.add(measured(0))
        with pytest.raises(OutputError, match=r"run\.ndjson: its run is still running"):
            open_for_resume(path)
        writer.add(measured(1))
    begun = open_for_resume(path)
    with pytest.raises(OutputError, match="still running"):
        open_for_resume(path)
    begun.file.close()


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        (b'"status":"skipped"', b'"status":"skiped"', "line 5: .*skiped"),
        (b'{"type":"outcome"', b'{{"type":"outcome"', "line 3: "),
    ],
)
def test_what_cannot_be_read_is_measured_again(path: Path, was: bytes, now: bytes, words: str) -> None:
    path.write_bytes(path.read_bytes().replace(was, now, 1))
    begun = open_for_resume(path)
    assert not begun.complete
    assert re.search(words, begun.notices[0])
    (lost,) = {f"exp/{number:08x}" for number in range(3)} - begun.cases
    go_on(begun, measured(int(lost[-1])))
    with RunReader(path) as run:
        assert sorted(one.case for one in run) == [f"exp/{number:08x}" for number in range(3)]
        assert run.end
        assert (run.end.asked, run.end.complete) == (3, True)
    again = open_for_resume(path)
    assert again.complete
    again.file.close()


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"can't resume .*missing\.ndjson: No such file"):
        open_for_resume(tmp_path / "missing.ndjson")
    with pytest.raises(CaseFileError, match="Is a directory"):
        open_for_resume(tmp_path)


def test_outcomes_are_read_when_they_are_asked_for(path: Path) -> None:
    with RunReader(path) as run:
        stored = LazyOutcomes(run)
        assert (len(stored), stored[-1].reason, stored[0].case) == (3, "too large", "exp/00000000")
        assert [one.case for one in stored] == [one.case for one in stored[0:3]]
        with pytest.raises(IndexError):
            stored[3]
