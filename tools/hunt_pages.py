"""Keeps the findings of hunts in docs/hunts: a log of the findings of each, and a page of the first thirty.

    autoperf hunt --mxnet 1.9.1 --time-budget 8h --folder FOLDER  # all operators
    python tools/hunt_pages.py FOLDER                             # docs/hunts/1.9.1.ndjson and 1.9.1.md
    python tools/hunt_pages.py FOLDER FOLDER ...                  # of one operator each: 1.9.1-operators.ndjson and .md
    autoperf hunt --mxnet 1.9.1 --mxnet 2.0.0b1 --time-budget 8h --folder BETWEEN
    python tools/hunt_pages.py BETWEEN                            # 2.0.0b1-1.9.1.ndjson and .md

`tools/hunt_costs.py` ranks the findings by what they cost.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from autoperf.backends.releases import is_version
from autoperf.core.atomic import write_atomic
from autoperf.core.finding import Finding, Searched
from autoperf.core.method import METHOD
from autoperf.reports.findings import interval
from autoperf.reports.hunt import sentence
from autoperf.reports.markdown import cells, heading
from autoperf.reports.units import NONE, count, describe_case, duration, factor, span
from autoperf.results.huntfile import Hunted, read_hunt
from autoperf.results.huntlog import (
    EndLine,
    FindingLine,
    HuntHeader,
    SearchedLine,
)
from tools.hunt_costs import LeagueEntry, league
from tools.page_blocks import DOCS

HUNTS = DOCS / "hunts"
SHOWN = 30
OPERATORS = "-operators"
"""How the name of several hunts in one log ends."""
COLUMNS = (
    ("", True),
    ("operator", False),
    ("pass", False),
    ("ratio", True),
    ("where", False),
    ("simplest input", False),
    ("time", True),
)
NEIGHBOUR_COLUMN = ("fast neighbour", False)
COST_COLUMN = ("cost", True)
WRITTEN_TO = frozenset({"--output", "--folder"})
RENAMED = {"--budget": "--time-budget", "--elements": "--max-elements"}
"""Options of recorded hunts that have another name now."""
HEAD = """# {title}

{stamp}

The first {shown} of {findings} of {hunts} ([method](../method/hunt.md)), ranked by {order}.
[{name}.ndjson]({name}.ndjson) has all:

    autoperf report docs/hunts/{name}.ndjson             # both inputs of each, its family and the evidence
    autoperf hunt --replay docs/hunts/{name}.ndjson 1    # times finding 1 again; exits with 1 while it holds
    autoperf run --cases docs/hunts/{name}.ndjson        # the slow and the fast input of each

**ratio**: the time of the simplest input over {fast}, timed in turn, with its 95% interval.
**where**: the family, with the fresh draws that confirm it: slow ones of those inside, fast ones of those outside.
"""
COST = """**cost**: the time that a call with as many elements as the operator's common input loses, in proportion to
{loss}, and at most the time of tried inputs of that size. It doesn't weigh how often such a call is made.
"""
FOOT = """
Searched: {searched}. That is {each:.1f} s for each operator, so one that isn't listed need not be fast. MXNet had
{threads}. `python tools/hunt_pages.py FOLDER` wrote this page.

"""


class Wording(NamedTuple):
    """A page's words for its hunt: the title, the time that the ratio divides by, and the loss behind the cost."""

    title: str
    fast: str
    loss: str

    @classmethod
    def of(cls, header: HuntHeader) -> Wording:
        """Of a hunt in one build, or between two."""
        if not header.sides:
            fast = "the time of its fast neighbour for equal work"
            return cls(f"What is slow in MXNet {header.mxnet}", fast, "the simplest input's loss")
        slow, fast = (side.words for side in header.sides)
        loss = "the loss of the tried input whose size is nearest"
        return cls(f"What is slower in {slow} than in {fast}", f"its time on {fast}", loss)


def stamp(header: HuntHeader) -> str:
    """The method, commit and date of a hunt, and whether the method has changed since."""
    commit = f", at commit {header.environment.git[:7]} of " if header.environment.git else " on "
    made = f"Measured by method {header.method}{commit}{header.started[:10]}"
    if header.method == METHOD:
        return f"{made}."
    return f"{made}: the method is {METHOD} now, and times of calls with 4 MB and more may be shorter."


def page(name: str, header: HuntHeader, searched: Sequence[Searched], entries: Sequence[LeagueEntry]) -> str:
    """The whole page of these findings, of which it shows the first."""
    has_costs = any(entry.common_elements for entry in entries)
    wording = Wording.of(header)
    head = HEAD.format(
        title=wording.title,
        stamp=stamp(header),
        name=name,
        fast=wording.fast,
        shown=min(SHOWN, len(entries)),
        findings=count(len(entries), "finding"),
        hunts="hunts of one operator each" if name.endswith(OPERATORS) else "one hunt of all operators",
        order="cost" if has_costs else "ratio",
    )
    cost = COST.format(loss=wording.loss) if has_costs else ""
    table = heading(columns(header, has_costs)), *rows(entries, header, has_costs)
    return "".join((head, cost, _foot(header, searched, entries), *table))


def columns(header: HuntHeader, has_costs: bool) -> list[tuple[str, bool]]:
    """The columns of the table: neighbours in one build, costs where they are known."""
    return [*COLUMNS, *([] if header.sides else [NEIGHBOUR_COLUMN]), *([COST_COLUMN] if has_costs else [])]


def rows(entries: Sequence[LeagueEntry], header: HuntHeader, has_costs: bool) -> Iterator[str]:
    """A row for each of the first findings; the log has the same numbers."""
    for number, entry in enumerate(entries[:SHOWN], 1):
        finding = entry.finding
        facts = (
            str(number),
            finding.operator,
            finding.pass_,
            f"{factor(finding.estimate.ratio)} {interval(finding.estimate)}",
            _where(finding),
            describe_case(finding.case),
            duration(finding.actual_us),
        )
        unlike = "" if finding.is_equal_work else ", contents unlike"
        neighbour = [] if header.sides else [finding.step.partition(":")[0] + unlike]
        cost = [duration(entry.cost_us) if entry.common_elements else NONE] if has_costs else []
        yield cells((*facts, *neighbour, *cost))


def _foot(header: HuntHeader, searched: Sequence[Searched], entries: Sequence[LeagueEntry]) -> str:
    findings = {str(number): entry.finding for number, entry in enumerate(entries)}
    return FOOT.format(
        searched=f"{sentence(findings, searched)}; budget {span(header.budget)}, seed {header.seed}",
        each=header.budget / max(1, sum(not search.reason for search in searched)),
        threads="an unknown number of threads" if header.threads is None else count(header.threads, "thread"),
    )


def _where(finding: Finding) -> str:
    """The family, and how many fresh draws confirm it: `float16 (8/8, 7/8)`; of a single input no reason."""
    check, family = finding.check, finding.family.partition(";")[0]
    if check is None or check.single:
        return family
    return f"{family} ({check.inside_slow}/{check.inside}, {check.outside_fast}/{check.outside})"


def log_name(headers: Sequence[HuntHeader]) -> str:
    """The name of a log and its page: the release, or the slow and the fast one."""
    releases = [side.mxnet for side in headers[0].sides] or [headers[0].mxnet]
    return "-".join(releases) + (OPERATORS if len(headers) > 1 else "")


def public_header(headers: Sequence[HuntHeader]) -> HuntHeader:
    """One header for all hunts, without names and paths of the machine."""
    first = headers[0]
    environment = msgspec.structs.replace(
        first.environment,
        machine="",
        system=first.environment.system.split()[0],
        settings={name: text for name, text in first.environment.settings.items() if name.startswith("OMP_")},
        mxnet={name: first.environment.mxnet.get(name) for name in ("version", "threads")},
    )
    return msgspec.structs.replace(
        first,
        budget=sum(header.budget for header in headers),
        operators=tuple(dict.fromkeys(name for header in headers for name in header.operators)),
        command=tuple(_public_command(first)),
        options={"library": None if first.sides else first.mxnet},
        environment=environment,
        sides=tuple(msgspec.structs.replace(side, library=side.mxnet) for side in first.sides),
    )


def _public_command(header: HuntHeader) -> Iterator[str]:
    """The words of the command without the paths of this machine: a release replaces the path to it."""
    words = header.command
    for before, word in zip(("", *words), words, strict=False):
        if before == "--mxnet":
            yield word if is_version(word) else header.mxnet
        elif not {before, word} & WRITTEN_TO and Path(word).name != "autoperf":
            yield RENAMED.get(word, word)


def kept_lines(header: HuntHeader, hunts: Sequence[Hunted], findings: Iterable[Finding]) -> Iterator[bytes]:
    """The lines of the log: the header, the findings in this order, what was searched, and the end."""
    at = sum(hunt.seconds for hunt in hunts)
    searched = [SearchedLine(at=at, searched=search) for hunt in hunts for search in hunt.searched]
    lines = (header, *(FindingLine(at=at, finding=finding) for finding in findings), *searched, EndLine(at=at))
    yield from (msgspec.json.encode(line) + b"\n" for line in lines)


def keep(folders: Sequence[Path]) -> None:
    """Writes the log and the page of one hunt, or of several hunts of one operator each."""
    hunts = [read_hunt(folder) for folder in folders]
    headers = [hunt.header for hunt in hunts]
    entries, header, name = league(folders, hunts), public_header(headers), log_name(headers)
    HUNTS.mkdir(exist_ok=True)
    lines = kept_lines(header, hunts, (entry.finding for entry in entries))
    write_atomic(HUNTS / f"{name}.ndjson", b"".join(lines).decode())
    searched = [search for hunt in hunts for search in hunt.searched]
    write_atomic(HUNTS / f"{name}.md", page(name, header, searched, entries))


if __name__ == "__main__":
    keep(list(map(Path, sys.argv[1:])))
