"""The cost of a hunt's findings, by which their pages rank them.

A cost is the loss of the slow input against its fast neighbour, scaled by elements to the operator's common input, so
the common input itself may be slow. Between two builds it is the loss of the input, timed on both, whose size is
nearest to the common input's. It is at most the time of inputs of that size, since a small input's loss need not grow
with the elements.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, log
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeAlias

from autoperf.core.case import Case
from autoperf.core.finding import Finding
from autoperf.core.operator import Operator
from autoperf.core.outcome import PASSES, PassName
from autoperf.core.work import work_of
from autoperf.executor.settings import Settings
from autoperf.hunt.contrast import TOLERANCE
from autoperf.pipeline.hunt_sides import HuntSides, sides_of
from autoperf.pipeline.release import open_release
from autoperf.results.hunt_reader import read_log
from autoperf.results.huntfile import LOG, Hunted
from autoperf.results.huntlog import AnyEvent, PairLine, TriedLine
from autoperf.rules.rule import Rule

COMMON = "common"
# Inputs with at least this share of the common input's elements limit the cost.
MIN_SIZE_SHARE = 0.25


class CallTime(NamedTuple):
    """The elements of an input, and the time or the loss of a call with it in microseconds."""

    elements: float
    us: float

    def scaled_us(self, elements: float) -> float:
        """The microseconds of a call with this number of elements, in proportion."""
        return self.us * elements / max(self.elements, 1)

    def distance(self, elements: float) -> float:
        """The absolute logarithm of the ratio of the elements."""
        return abs(log(max(self.elements, 1) / max(elements, 1)))


class LeagueEntry(NamedTuple):
    """A finding, and the elements of the operator's common input; None if it has none.

    `losses` are those of further inputs that are slow for the same operator and pass, `taken` the times of tried ones.
    """

    finding: Finding
    common_elements: float | None
    losses: Sequence[CallTime] = ()
    taken: Sequence[CallTime] = ()

    @property
    def cost_us(self) -> float:
        """The loss of a call with as many elements as the common input, in microseconds."""
        common, finding = self.common_elements, self.finding
        if not common:
            return 0.0
        own = CallTime(work_of(finding.case).elements, finding.actual_us - finding.expected_us)
        nearest = min((own, *self.losses), key=lambda loss: loss.distance(common))
        as_large = [each.scaled_us(common) for each in self.taken if each.elements >= MIN_SIZE_SHARE * common]
        return min(nearest.scaled_us(common), max(as_large, default=inf))


Losses: TypeAlias = Mapping[tuple[str, PassName], Sequence[CallTime]]
"""Losses of the inputs that a hunt between two builds timed on both, by operator and pass."""
Taken: TypeAlias = Mapping[tuple[str, PassName, tuple[str, ...]], Sequence[CallTime]]
"""Times of the inputs that a hunt tried, by operator, pass and the tensors' dtypes."""


def losses(events: Iterable[AnyEvent], slow: int, least: float) -> Losses:
    """The losses of inputs that take at least `least` times as long on side `slow` as on the other."""
    lost: dict[tuple[str, PassName], list[CallTime]] = defaultdict(list)
    for event in events:
        if not isinstance(event, PairLine) or event.sides[0] == event.sides[1] or event.refused:
            continue
        times = dict(zip(event.sides, (median(event.first_us), median(event.second_us)), strict=True))
        lost_us = times[slow] - times[1 - slow]
        if times[slow] >= least * times[1 - slow]:
            lost[event.operator, event.pass_].append(CallTime(work_of(event.first).elements, lost_us))
    return lost


def taken(events: Iterable[AnyEvent]) -> Taken:
    """The times of all inputs that could be run."""
    times: dict[tuple[str, PassName, tuple[str, ...]], list[CallTime]] = defaultdict(list)
    for event in events:
        if isinstance(event, TriedLine) and not event.refused:
            elements, dtypes = work_of(event.case).elements, _dtypes(event.case)
            for pass_, samples in zip(PASSES, (event.forward_us, event.backward_us), strict=True):
                if samples:
                    times[event.operator, pass_, dtypes].append(CallTime(elements, min(samples)))
    return times


def _dtypes(case: Case) -> tuple[str, ...]:
    return tuple(entry.tensor.dtype for entry in case.inputs)


def ranked(findings: Iterable[Finding], common: Mapping[str, float], lost: Losses, times: Taken) -> list[LeagueEntry]:
    """The findings by cost, the largest first, then by ratio; `common` has the elements of common inputs."""
    entries = [
        LeagueEntry(
            finding,
            common.get(finding.operator),
            lost.get((finding.operator, finding.pass_), ()),
            times.get((finding.operator, finding.pass_, _dtypes(finding.case)), ()),
        )
        for finding in findings
    ]
    return sorted(entries, key=lambda entry: (-entry.cost_us, -entry.finding.estimate.low, entry.finding.operator))


def common_elements(sides: HuntSides, operators: Iterable[str]) -> dict[str, float]:
    """The elements of the largest tensor of each operator's common input, where it has one."""
    known = {operator.name: operator for operator in sides.searched.release.registry.operators}
    cases = {name: _common_case(sides, known[name]) for name in operators if name in known}
    return {name: work_of(case).elements for name, case in cases.items() if case}


def _common_case(sides: HuntSides, operator: Operator) -> Case | None:
    """The case of the operator's common input in its natural dtype, if it has one."""
    rule = sides.searched.release.catalog.find(operator)
    if not isinstance(rule, Rule):
        return None
    factory = sides.searched.factory(operator, rule, None)
    call = rule.canonical(factory.spec(rule.dtype)).get(COMMON)
    (point,) = factory.make([(call, rule.dtype)]) if call else (None,)
    return point.case if point else None


def league(folders: Sequence[Path], hunts: Sequence[Hunted]) -> list[LeagueEntry]:
    """The findings of these hunts by cost, the largest first."""
    header = hunts[0].header
    findings = [finding for hunt in hunts for finding in hunt.findings.values()]
    with open_release(header.sides[0].library if header.sides else header.options.get("library")) as release:
        searched = sides_of([release], None, Settings(processes=1))
        common = common_elements(searched, {finding.operator for finding in findings})
    slow = 0 if (header.options.get("sides") or {}).get("faster") else 1
    least = TOLERANCE * header.options["least"]
    lost = losses(_events(folders), slow, least) if header.sides else {}
    return ranked(findings, common, lost, taken(_events(folders)))


def _events(folders: Iterable[Path]) -> Iterator[AnyEvent]:
    for folder in folders:
        yield from read_log(folder / LOG)[1]
