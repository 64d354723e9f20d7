"""The longest pieces come first, the last ones in parts, and every case of a batch is answered once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from autoperf.backends.protocol import TrialResult
from autoperf.core.outcome import Status
from autoperf.fleet.client import Backlog, earlier_seconds, estimated_seconds, operator_seconds
from autoperf.measurement.batches import BatchAnswer, BatchRequest, CaseAnswer, Job, TriedCase, outcome
from tests.values import MACHINE, case

EARLIER = {case("exp", size).id: float(size) for size in range(1, 100)}


def batch(number: int, *sizes: int, sides: int = 1) -> BatchRequest:
    return BatchRequest(number, "exp", tuple(tuple(Job(case("exp", size)) for size in sizes) for _ in range(sides)))


def backlog(*batches: BatchRequest) -> Backlog:
    made = Backlog(EARLIER)
    for each in batches:
        made.add_batch(each)
    return made


def taken(pieces: Backlog, machines: int, *, last: bool) -> list[list[float]]:
    found = []
    while piece := pieces.take("tcp://a", machines, last=last):
        found.append([each.seconds for each in piece.cases])
    return found


def test_the_longest_batch_comes_first() -> None:
    pieces = backlog(batch(1, 1, 2), batch(2, 9), batch(3, 4, 1))
    assert taken(pieces, 2, last=False) == [[9], [4, 1], [1, 2]]
    assert not pieces


def test_the_last_batches_are_divided_among_the_machines() -> None:
    parts = taken(backlog(batch(1, *[1] * 1, 2, 3, 4, 5, 6)), 3, last=True)
    assert sorted(second for part in parts for second in part) == [1, 2, 3, 4, 5, 6]
    assert max(map(sum, parts)) <= 6
    assert len(parts) >= 4


def test_both_sides_of_a_case_stay_together() -> None:
    for piece in backlog(batch(1, 3, 5, sides=2)).take("tcp://a", 1, last=False).singles():
        assert [len(side) for side in piece.request.jobs] == [1, 1]
        assert piece.request.jobs[0] == piece.request.jobs[1]


def test_a_case_that_one_side_skips_is_still_one_piece() -> None:
    jobs = [Job(case("exp", size)) for size in (3, 5)]
    pieces = backlog(BatchRequest(1, "exp", (tuple(jobs), (jobs[1],)))).take("tcp://a", 1, last=False)
    assert [[(each.side, each.position) for each in found.placed] for found in pieces.cases] == [
        [(0, 0)],
        [(0, 1), (1, 0)],
    ]
    first, second = (single.request.jobs for single in pieces.singles())
    assert (first, second) == (((jobs[0],), ()), ((jobs[1],), (jobs[1],)))


def test_pairs_in_turn_are_those_at_one_position() -> None:
    base, new = (Job(case("exp", 3)),), (Job(case("sin", 3)),)
    (single,) = backlog(BatchRequest(1, "exp", (base, new), in_turn=1)).take("tcp://a", 1, last=False).singles()
    assert single.request.jobs == (base, new)


def test_an_answer_has_the_positions_of_the_whole_batch() -> None:
    whole = backlog(batch(7, 3, 5, 9)).take("tcp://a", 1, last=False)
    rest = whole.part(1)
    done = outcome(rest.request.jobs[0][1].case, Status.MEASURED, 0.0)
    answer = rest.answer(BatchAnswer(7, (MACHINE,), (CaseAnswer(0, 1, done),), 1.0))
    assert [(each.position, each.outcome) for each in answer.cases] == [(2, done)]


def test_a_case_that_is_given_up_has_crashed_on_each_side() -> None:
    (single,) = backlog(batch(1, 3, sides=2)).take("tcp://a", 1, last=False).singles()
    answer = single.given_up("it ended 4 workers")
    assert [(each.side, each.position, each.outcome.status) for each in answer.cases] == [
        (0, 0, Status.CRASHED),
        (1, 0, Status.CRASHED),
    ]
    assert answer.cases[0].outcome.reason == "it ended 4 workers"


def continued(*sizes: int) -> BatchRequest:
    tried = TrialResult((), None, (), (), None)
    started = tuple(TriedCase(Job(case("exp", size)), tried, (), (), 0.0, 0.0, 1.0) for size in sizes)
    return BatchRequest(2, "exp", ((),), (started,), None)


def test_a_later_visit_goes_to_the_worker_that_began_its_cases() -> None:
    pieces = backlog(batch(1, 3), batch(2, 5))
    for home in ("tcp://a", "tcp://b"):
        pieces.begun(pieces.take("tcp://a", 1, last=False), home)
    pieces.add_batch(continued(3, 5))
    taken = [pieces.take(home, 2, last=False) for home in ("tcp://a", "tcp://b")]
    assert [piece.total for piece in taken] == [5, 3]
    assert taken[0].request.jobs == ((),)
    assert not pieces


def test_a_later_visit_begins_again_elsewhere_if_its_worker_is_gone() -> None:
    pieces = backlog(batch(1, 3))
    pieces.begun(pieces.take("tcp://a", 1, last=False), "tcp://a")
    pieces.add_batch(continued(3))
    assert (pieces.take("tcp://b", 1, last=False), pieces.waiting) == (None, 0)
    pieces.release(["tcp://b"])
    piece = pieces.take("tcp://b", 1, last=False)
    assert (piece.request.started, piece.request.jobs) == ((), ((Job(case("exp", 3)),),))


def test_cases_whose_worker_is_lost_begin_again() -> None:
    pieces = backlog(batch(1, 3))
    pieces.begun(pieces.take("tcp://a", 1, last=False), "tcp://a")
    pieces.add_batch(continued(3))
    piece = pieces.take("tcp://a", 1, last=False)
    assert piece.request.started == continued(3).started
    again = piece.lost(1)
    assert (again.losses, again.request.started, again.request.jobs) == (1, (), ((Job(case("exp", 3)),),))


@pytest.mark.parametrize("seconds", [0.25, None])
def test_a_case_without_an_earlier_time_is_estimated_by_its_work(seconds: float | None) -> None:
    small, large = (Job(case("exp", size), seconds) for size in (10, 10**8))
    assert (estimated_seconds(large, {}) > estimated_seconds(small, {})) is (seconds is None)


def test_earlier_times_come_from_the_newest_run_file(tmp_path: Path) -> None:
    assert earlier_seconds(tmp_path) == {}
    for name, seconds, at in (("old", 1.0, 100), ("new", 2.0, 200)):
        file = tmp_path / f"{name}.ndjson"
        file.write_text(f'{{"type":"header"}}\n{json.dumps({"case": "exp/1", "seconds": seconds})}\n')
        os.utime(file, (at, at))
    assert earlier_seconds(tmp_path) == {"exp/1": 2.0}
    (tmp_path / "new.ndjson").write_text("cut of")
    assert earlier_seconds(tmp_path) == {}


def test_an_operators_seconds_are_those_of_its_cases() -> None:
    assert operator_seconds({"exp/1": 1.0, "exp/2": 2.0, "np/odd/3": 4.0}) == {"exp": 3.0, "np/odd": 4.0}
