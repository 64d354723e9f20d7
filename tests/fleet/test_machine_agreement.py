"""Machines measure the same cases first; one that disagrees with its class is told, and its figures are kept apart."""

from __future__ import annotations

import sys

import msgspec
import pytest

from autoperf.core.outcome import Status
from autoperf.fleet.fleet import MachineAgreement, agreement_batch
from autoperf.fleet.messages import BatchDone, SessionOpened
from autoperf.measurement.batches import BatchAnswer, CaseAnswer, outcome
from autoperf.runs.runfile import Machine, machine_of
from tests.values import ENVIRONMENT, passed, series, steady


def record(name: str, model: str = "A") -> Machine:
    processor = msgspec.structs.replace(ENVIRONMENT.processor, model=model)
    return machine_of(msgspec.structs.replace(ENVIRONMENT, machine=name, processor=processor))


def opened(name: str, median: float, model: str = "A") -> SessionOpened:
    """The first answer of a machine that takes so many microseconds for every case."""
    machine = record(name, model)
    timed = (passed(steady(median)), None)
    cases = tuple(
        CaseAnswer(0, place, outcome(job.case, Status.MEASURED, 0.1, passes=timed))
        for place, job in enumerate(agreement_batch(1).jobs[0])
    )
    return SessionOpened((machine,), agreement=(BatchAnswer(0, (machine,), cases, 0.1),))


def judged(*machines: SessionOpened) -> tuple[MachineAgreement, dict[str, str]]:
    agreement = MachineAgreement()
    for each in machines:
        agreement.add(each.machines[0].environment.machine, each)
    return agreement, dict(agreement.judge(all_known=True))


def test_machines_of_a_class_that_agree_are_ready_without_a_word() -> None:
    agreement, differ = judged(opened("a", 10.0), opened("b", 10.4), opened("c", 9.8))
    assert (agreement.unjudged, differ) == (set(), {})


def test_another_class_may_be_as_fast_as_it_is() -> None:
    assert judged(opened("a", 10.0), opened("b", 10.0), opened("c", 30.0, "B"))[1] == {}


def test_a_machine_that_disagrees_is_told_and_kept_apart() -> None:
    words = "29% slower than others of its class"
    agreement, differ = judged(opened("a", 10.0), opened("b", 10.1), opened("c", 13.0))
    assert differ == {"c": words}
    marked = {}
    for name in ("b", "c"):
        done = BatchDone((BatchAnswer(7, (record(name),), (), 0.1),))
        marked[name] = agreement.marked(name, done).answers[0].machines[0]
    assert marked["b"] == record("b")
    assert marked["c"].id != record("c").id
    assert marked["c"].hardware != record("a").hardware
    assert marked["c"].apart == words


def test_too_few_samples_judge_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "steady", lambda median: series([median]))
    assert judged(opened("a", 10.0), opened("b", 10.1), opened("c", 13.0))[1] == {}


def test_a_machine_waits_for_enough_others_or_until_no_other_one_comes() -> None:
    agreement = MachineAgreement()
    for name in ("a", "b"):
        agreement.add(name, opened(name, 10.0))
    assert (list(agreement.judge(all_known=False)), agreement.unjudged) == ([], {"a", "b"})
    agreement.add("c", opened("c", 10.0))
    assert (list(agreement.judge(all_known=False)), agreement.unjudged) == ([], set())
    agreement.add("d", opened("d", 13.0, "B"))
    assert (list(agreement.judge(all_known=False)), agreement.unjudged) == ([], {"d"})
    assert (list(agreement.judge(all_known=True)), agreement.unjudged) == ([], set())


def test_a_machine_that_is_not_asked_for_the_cases_is_ready() -> None:
    agreement = MachineAgreement()
    agreement.add("a", SessionOpened((record("a"),)))
    assert agreement.unjudged == set()


@pytest.mark.parametrize("sides", [1, 2])
def test_the_cases_are_measured_on_one_side(sides: int) -> None:
    assert [bool(jobs) for jobs in agreement_batch(sides).jobs] == [True, *[False] * (sides - 1)]
