"""Writes the league table of a hunt: its findings by what they cost, with a script for each.

    autoperf hunt --mxnet 1.9.1 --budget 8h --output FOLDER       # all operators
    python tools/hunt_league.py FOLDER                             # docs/hunt-1.9.1.md and docs/hunt-1.9.1/
    autoperf hunt --mxnet 1.9.1 --mxnet 2.0.0b1 --budget 8h --output BETWEEN
    python tools/hunt_league.py BETWEEN                            # docs/hunt-2.0.0b1-1.9.1.md and its folder

What a finding costs is what its slow input loses against its fast neighbour, in proportion to the elements of the
operator's common input. So it doesn't matter whether the common input is slow itself. Between two builds, it is what
the input loses that was timed on both and has the number of elements nearest to the common input's. It is at most what
inputs of that size take: what a small input loses need not grow with the elements.
"""

from __future__ import annotations

import shutil
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, log
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeAlias

from page_blocks import DOCS

from autoperf.core.case import Case
from autoperf.core.finding import Finding, Searched
from autoperf.core.operator import Operator
from autoperf.core.outcome import PASSES, PassName
from autoperf.core.work import work_of
from autoperf.executor.settings import Settings
from autoperf.hunt.contrast import TOLERANCE
from autoperf.pipeline.hunt_sides import HuntSides, sides_of
from autoperf.pipeline.release import open_release
from autoperf.reports.hunt import held, interval, notes, sentence
from autoperf.reports.markdown import cells, escape, heading
from autoperf.reports.units import NONE, count, describe_case, duration, factor, span
from autoperf.results.hunt_reader import read_log
from autoperf.results.huntfile import LOG, read_hunt
from autoperf.results.huntlog import AnyEvent, HuntHeader, PairLine, TriedLine
from autoperf.rules.rule import Rule

COMMON = "common"
# Inputs with at least this share of the common input's elements limit the cost.
MIN_SIZE_SHARE = 0.25
COLUMNS = (
    ("", True),
    ("operator", False),
    ("pass", False),
    ("cost", True),
    ("ratio", True),
    ("common input", True),
    ("where", False),
    ("simplest input", False),
    ("time", True),
    ("fast neighbour", False),
    ("script", False),
)
HEAD = """# {title}

{purpose}: the findings of one hunt ([hunt.md](hunt.md)), those that cost
most first. `python tools/hunt_league.py FOLDER` wrote this page from its folder.

- **cost** is what one call loses that has as many elements as the operator's common input (column **common input**):
  {loss}, in proportion to the elements,
  and at most what tried inputs of about that size and of the same dtypes take. It says nothing of how often somebody
  makes such a call. Where an operator has no common input, the row stands last.
- **ratio** is how many times as long the simplest input takes as {fast}, timed in turn in fresh
  processes.
- **where** is the family, and how it was held against fresh draws.
- **script** times both again, and exits with 1 while the finding holds.

Searched: {searched}. That is {each:.1f} s for each operator: a short search misses most, so one that isn't listed need
not be fast. MXNet had {threads}. {load}
"""


class Wording(NamedTuple):
    """What a page says of its hunt: its title, its purpose, what is fast, and what the cost is taken from."""

    title: str
    purpose: str
    fast: str
    loss: str

    @classmethod
    def of(cls, header: HuntHeader) -> Wording:
        """Of a hunt in one build, or between two."""
        if not header.sides:
            mxnet = f"MXNet {header.mxnet}"
            purpose = f"Where somebody who wants to make {mxnet} faster may begin"
            loss = "the time of the simplest input less that of its fast neighbour for equal work"
            return cls(f"What is slow in {mxnet}", purpose, "its fast neighbour for equal work", loss)
        slow, fast = (side.words for side in header.sides)
        purpose = f"Where {slow} loses time that {fast} doesn't"
        loss = f"the time on {slow} less that on {fast}, of the tried input whose size is nearest"
        return cls(f"What is slower in {slow} than in {fast}", purpose, f"the same input on {fast}", loss)


class CallTime(NamedTuple):
    """The elements of an input, and the microseconds that a call with it takes, or loses."""

    elements: float
    us: float

    def scaled_us(self, elements: float) -> float:
        """The microseconds of a call with so many elements, in proportion."""
        return self.us * elements / max(self.elements, 1)

    def distance(self, elements: float) -> float:
        """How many times more or fewer elements the input has, as a logarithm."""
        return abs(log(max(self.elements, 1) / max(elements, 1)))


class LeagueEntry(NamedTuple):
    """A finding with its script, and the elements of the operator's common input; None if it has none.

    `losses` are those of further inputs that are slow for the same operator and pass, `taken` the times of tried ones.
    """

    script: str
    finding: Finding
    common_elements: float | None
    losses: Sequence[CallTime] = ()
    taken: Sequence[CallTime] = ()

    @property
    def cost_us(self) -> float:
        """What a call with as many elements as the common input loses, in microseconds."""
        common, finding = self.common_elements, self.finding
        if not common:
            return 0.0
        own = CallTime(work_of(finding.case).elements, finding.actual_us - finding.expected_us)
        nearest = min((own, *self.losses), key=lambda loss: loss.distance(common))
        as_large = [each.scaled_us(common) for each in self.taken if each.elements >= MIN_SIZE_SHARE * common]
        return min(nearest.scaled_us(common), max(as_large, default=inf))


Losses: TypeAlias = Mapping[tuple[str, PassName], Sequence[CallTime]]
"""Those of the inputs that a hunt between two builds timed on both, by operator and pass."""
Taken: TypeAlias = Mapping[tuple[str, PassName, tuple[str, ...]], Sequence[CallTime]]
"""What the inputs take that a hunt tried, by operator, pass and the tensors' dtypes."""


def losses(events: Iterable[AnyEvent], slow: int, least: float) -> Losses:
    """The losses of inputs that take at least so many times as long on the slow side, of this number."""
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


def ranked(
    findings: Mapping[str, Finding], common: Mapping[str, float], lost: Losses, times: Taken
) -> list[LeagueEntry]:
    """The findings, those that cost most first; `common` has the elements of each operator's common input."""
    entries = [
        LeagueEntry(
            script,
            finding,
            common.get(finding.operator),
            lost.get((finding.operator, finding.pass_), ()),
            times.get((finding.operator, finding.pass_, _dtypes(finding.case)), ()),
        )
        for script, finding in findings.items()
    ]
    return sorted(entries, key=lambda entry: (-entry.cost_us, entry.script))


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


def page(header: HuntHeader, searched: Sequence[Searched], entries: Sequence[LeagueEntry]) -> str:
    """The whole page; the paths of scripts are relative to it."""
    return "".join((_head(header, searched, entries), "\n", heading(COLUMNS), *_rows(entries), *_rest(searched)))


def _head(header: HuntHeader, searched: Sequence[Searched], entries: Sequence[LeagueEntry]) -> str:
    findings = {entry.script: entry.finding for entry in entries}
    threads = "an unknown number of threads" if header.threads is None else count(header.threads, "thread")
    load = header.environment.load
    return HEAD.format(
        **Wording.of(header)._asdict(),
        searched=f"{sentence(findings, searched)}; budget {span(header.budget)}, seed {header.seed}",
        each=header.budget / max(1, sum(not search.reason for search in searched)),
        threads=threads,
        load=f"The machine's load was {load[0]:.1f} when the hunt began." if load else "",
    )


def _rows(entries: Sequence[LeagueEntry]) -> Iterator[str]:
    for number, entry in enumerate(entries, 1):
        finding = entry.finding
        row = cells(
            (
                str(number),
                finding.operator,
                finding.pass_,
                duration(entry.cost_us) if entry.common_elements else NONE,
                f"{factor(finding.estimate.ratio)} {interval(finding.estimate)}",
                f"{entry.common_elements:,.0f} elements" if entry.common_elements else NONE,
                _where(finding),
                describe_case(finding.case),
                duration(finding.actual_us),
                finding.step,
                "SCRIPT",
            )
        )
        yield row.replace("SCRIPT", f"[{Path(entry.script).name}]({entry.script})")


def _where(finding: Finding) -> str:
    """The family, and how it was held against fresh draws if it was told."""
    is_reported = finding.check is not None and not finding.check.single
    return f"{finding.family}; {held(finding)}" if is_reported else finding.family


def _rest(searched: Sequence[Searched]) -> Iterator[str]:
    """The notes of the hunt: what was searched of whom, what was not, and why."""
    lines = list(notes(searched))
    if lines:
        yield "\n## Notes\n\n"
        yield from (f"- {escape(line)}\n" for line in lines)


def page_name(header: HuntHeader) -> str:
    """The name of the page and of the folder of its scripts: that of the release, or of the slow and the fast one."""
    releases = [side.mxnet for side in header.sides] or [header.mxnet]
    return "-".join(("hunt", *releases))


def main(arguments: Sequence[str]) -> None:
    """Write the page of a hunt's folder, and copy its scripts."""
    (folder,) = map(Path, arguments)
    hunt = read_hunt(folder)
    sides = hunt.header.sides
    name = page_name(hunt.header)
    scripts = DOCS / name
    shutil.rmtree(scripts, ignore_errors=True)
    scripts.mkdir()
    for script in hunt.findings:
        shutil.copyfile(folder / script, scripts / Path(script).name)
    with open_release(sides[0].library if sides else hunt.header.options.get("library")) as release:
        searched = sides_of([release], None, Settings(processes=1))
        common = common_elements(searched, {finding.operator for finding in hunt.findings.values()})
    slow = 0 if (hunt.header.options.get("sides") or {}).get("faster") else 1
    least = TOLERANCE * hunt.header.options["least"]
    lost = losses(read_log(folder / LOG)[1], slow, least) if sides else {}
    times = taken(read_log(folder / LOG)[1])
    findings = {f"{name}/{Path(script).name}": finding for script, finding in hunt.findings.items()}
    (DOCS / f"{name}.md").write_text(page(hunt.header, hunt.searched, ranked(findings, common, lost, times)))


if __name__ == "__main__":
    main(sys.argv[1:])
