"""Keeps the findings of hunts in docs/hunts: a log of the findings of each, and a page of the costliest.

autoperf hunt --mxnet 1.9.1 --time-budget 8h --folder FOLDER  # all operators
python tools/hunt_pages.py FOLDER                             # docs/hunts/1.9.1.ndjson and 1.9.1.md
python tools/hunt_pages.py FOLDER FOLDER ...                  # of one operator each: 1.9.1-operators.ndjson and .md
autoperf hunt --operator "$(python benches/opperf_defaults.py --mxnet 1.9.1 --names)" --time-budget 220m --folder DEEP
python tools/hunt_pages.py DEEP --scope opperf                # 1.9.1-opperf.ndjson and .md
autoperf hunt --mxnet 1.9.1 --mxnet 2.0.0b1 --time-budget 8h --folder BETWEEN
python tools/hunt_pages.py BETWEEN                            # 2.0.0b1-1.9.1.ndjson and .md
autoperf hunt --against torch --time-budget 8h --folder AGAINST
python tools/hunt_pages.py AGAINST                            # 1.9.1-torch.ndjson and .md
python tools/hunt_pages.py docs/hunts/*.ndjson                # the pages of kept logs again

python benches/hunt_judge.py FOLDER --findings 1000 --verdicts FILE
python tools/hunt_pages.py FOLDER --verdicts FILE             # without the findings that a plain loop refutes
python tools/hunt_pages.py docs/hunts/1.9.1.ndjson --verdicts FILE    # likewise, of a kept log
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

import msgspec

from autoperf.backends.lookup import parse_framework
from autoperf.backends.releases import is_version
from autoperf.core.case import Case
from autoperf.core.files import write_atomic
from autoperf.core.finding import CauseRanking, Finding, SideRecord
from autoperf.core.method import since
from autoperf.hunt.registry_causes import ranking
from autoperf.reports.findings import cost, family, interval
from autoperf.reports.hunt import cause_table, cost_words, sentence
from autoperf.reports.layout import cells, heading
from autoperf.reports.units import count, describe_case, duration, factor, span
from autoperf.results.huntfile import Hunted, finding_key, read_hunt
from autoperf.results.huntlog import (
    EndLine,
    FindingLine,
    HuntHeader,
    SearchedLine,
)
from tools.page_blocks import DOCS

HUNTS = DOCS / "hunts"
CAUSES_SHOWN = 8
FINDINGS_SHOWN = 12
COST, OF_CAUSE = "- **cost**:", "Of a cause, the mean over its operators, by whose sum causes are ranked."
LINE = 160
SCOPES = {
    "": "one hunt of all operators",
    "operators": "hunts of one operator each",
    "opperf": "one hunt of the operators that opperf runs",
}
"""What was hunted, by the end of a log's name."""
COLUMNS = (
    ("", True),
    ("operator", False),
    ("pass", False),
    ("cost", True),
    ("ratio", True),
    ("where", False),
    ("simplest input", False),
    ("time", True),
)
NEIGHBOUR_COLUMN = ("fast neighbour", False)
EXPLAINED = frozenset(page.stem for page in (DOCS / "hunts").glob("*-sources.md"))
"""The pages that say what in MXNet's source makes the costliest causes of a hunt."""
EXPLANATION = "\n[Why the costliest are slow in MXNet's source, and what to do today]({name}-sources.md)\n"
WRITTEN_TO = frozenset({"--output", "--folder"})
RENAMED = {"--budget": "--time-budget", "--elements": "--max-elements"}
"""Options of recorded hunts that have another name now."""
HEAD = """# {title}

{stamp}

{findings} of {hunts} ([method](../method/hunt.md)): {causes} that several operators share,
and {own} of one operator alone. The costliest are listed; [{name}.ndjson]({name}.ndjson) has all:

    autoperf report docs/hunts/{name}.ndjson             # both inputs of each, its family and the evidence
    autoperf report docs/hunts/{name}.ndjson --weights captured.ndjson    # ranked by what calls of networks lose
    autoperf hunt --replay docs/hunts/{name}.ndjson 1    # times finding 1 again; exits with 1 while it holds
    autoperf run --cases docs/hunts/{name}.ndjson        # the slow and the fast input of each

- **ratio**: the time of the simplest input over {fast}, timed in turn, with its
  95% interval; of a cause, the geometric mean over its operators.
{cost}
{judged}"""
JUDGED = "- **judged**: a plain loop that shares no measurement with the hunt timed {timed} again {verdict}.\n"
FOOT = """
Searched: {searched}. That is {each:.1f} s for each operator, so one that isn't listed need not be fast. MXNet had
{threads}. """
WRITTEN = "`python tools/hunt_pages.py` wrote this page.\n"


class Wording(NamedTuple):
    """A page's words for its hunt: the title, and the time that the ratio divides by."""

    title: str
    fast: str

    @classmethod
    def of(cls, header: HuntHeader) -> Wording:
        """Of a hunt in one build, or between two."""
        if not header.sides:
            return cls(f"What is slow in MXNet {header.mxnet}", "the time of its fast neighbour for equal work")
        slow, fast = (side.words for side in header.sides)
        return cls(f"What is slower in {slow} than in {fast}", f"its time on {fast}")


def _judged_words(listed: int, timed: int, refuted: int) -> str:
    verdict = f"refuted {refuted}, which are left out" if refuted else "refuted none"
    untimed = listed + refuted - timed
    return JUDGED.format(
        timed=timed, verdict=f"and {verdict}" + (f"; it could not time {untimed} others" if untimed else "")
    )


def stamp(header: HuntHeader) -> str:
    """The method, commit and date of a hunt, and whether the method has changed since."""
    commit = f", at commit {header.environment.git[:7]} of " if header.environment.git else " on "
    return f"Measured by method {header.method}{commit}{header.started[:10]}{since(header.method)}."


def page(name: str, hunt: Hunted, earlier: str = "") -> str:
    """The whole page of a kept log, with its costliest causes and findings.

    A log without the search of each operator takes the summary of the `earlier` page.
    """
    header = hunt.header
    findings = {str(number): finding for number, finding in enumerate(hunt.findings.values(), 1)}
    ranked, wording = ranking(findings), Wording.of(header)
    head = HEAD.format(
        title=wording.title,
        stamp=stamp(header),
        name=name,
        fast=wording.fast,
        findings=count(len(findings), "finding"),
        hunts=SCOPES.get(name.rpartition("-")[2], SCOPES[""]),
        causes=count(len(ranked.causes), "cause"),
        own=count(len(ranked.own), "finding"),
        judged=_judged_words(len(findings), **header.options["judged"]) if header.options.get("judged") else "",
        cost=fill(f"{COST} {cost_words(ranked)} {OF_CAUSE}", LINE, subsequent_indent="  ", break_on_hyphens=False),
    )
    columns = [*COLUMNS, *([] if header.sides else [NEIGHBOUR_COLUMN])]
    causes = ranked.causes[:CAUSES_SHOWN]
    tables = (
        *(("\n## Causes of several operators\n\n", *cause_table(ranked, causes).markdown()) if causes else ()),
        EXPLANATION.format(name=name) if f"{name}-sources" in EXPLAINED else "",
        f"\n## Findings of one operator\n\n{heading(columns)}",
        *rows(findings, ranked, header),
    )
    summary = re.search(r"^Searched: .*? threads?\. ", earlier, re.MULTILINE | re.DOTALL)
    foot = f"\n{summary[0]}" if summary and not hunt.searched else _foot(hunt)
    return "".join((head, *tables, foot, WRITTEN))


def rows(findings: dict[str, Finding], ranked: CauseRanking, header: HuntHeader) -> Iterator[str]:
    """A row for each of the costliest findings of one operator, with their numbers in the log."""
    for number in ranked.own[:FINDINGS_SHOWN]:
        finding = findings[number]
        facts = (
            number,
            finding.operator,
            finding.pass_,
            cost(ranked, ranked.costs[number]),
            f"{factor(finding.estimate.ratio)} {interval(finding.estimate)}",
            family(finding).partition(":")[0],
            describe_case(finding.case),
            duration(finding.actual_us),
        )
        unlike = "" if finding.is_equal_work else ", contents unlike"
        yield cells((*facts, *([] if header.sides else [finding.step.partition(":")[0] + unlike])))


def _foot(hunt: Hunted) -> str:
    header = hunt.header
    return FOOT.format(
        searched=f"{sentence(hunt.findings, hunt.searched)}; budget {span(header.budget)}, seed {header.seed}",
        each=header.budget / max(1, sum(not search.reason for search in hunt.searched)),
        threads="an unknown number of threads" if header.threads is None else count(header.threads, "thread"),
    )


def log_name(headers: Sequence[HuntHeader], scope: str = "") -> str:
    """The name of a log and its page: the release, or the slow and the fast one; of a framework its name."""
    releases = [framework_of(side) or side.mxnet for side in headers[0].sides] or [headers[0].mxnet]
    return "-".join(filter(None, (*releases, scope or ("operators" if len(headers) > 1 else ""))))


class Verdicts(msgspec.Struct, frozen=True):
    """What the judge timed: how many findings, and the keys of those that it refuted."""

    timed: int
    false: frozenset[tuple[str, str]] = frozenset()


def public_header(headers: Sequence[HuntHeader], judged: Verdicts | None = None) -> HuntHeader:
    """One header for all hunts, without names and paths of the machine; with the counts of the judge."""
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
        options={
            "library": None if first.sides else first.mxnet,
            **({"judged": counts} if (counts := _judged(first, judged)) else {}),
        },
        environment=environment,
        sides=tuple(map(_public_side, first.sides)),
    )


def _judged(header: HuntHeader, verdicts: Verdicts | None) -> dict[str, int]:
    """The counts of the judge, with those of a log that lost findings earlier."""
    earlier: dict[str, int] = header.options.get("judged", {})
    if verdicts is None:
        return earlier
    refuted = earlier.get("refuted", 0)
    return {"timed": verdicts.timed + refuted, "refuted": len(verdicts.false) + refuted}


def framework_of(side: SideRecord) -> str:
    """The name of a side's framework without its version or path; empty for MXNet."""
    return parse_framework(side.framework).name if side.framework else ""


def _public_side(side: SideRecord) -> SideRecord:
    """The side as anybody has it: the release or the framework by its version."""
    if side.framework:
        return msgspec.structs.replace(side, framework=f"{framework_of(side)}@{side.mxnet.partition('+')[0]}")
    return msgspec.structs.replace(side, library=side.mxnet)


def _public_command(header: HuntHeader) -> Iterator[str]:
    """The words of the command without the paths of this machine: a release replaces the path to it."""
    words = header.command
    for before, word in zip(("", *words), words, strict=False):
        if before == "--mxnet":
            yield word if is_version(word) else header.mxnet
        elif before == "--against":
            yield parse_framework(word).name
        elif not {before, word} & WRITTEN_TO and Path(word).name != "autoperf":
            yield RENAMED.get(word, word)


def kept_lines(header: HuntHeader, hunts: Sequence[Hunted], findings: Iterable[Finding]) -> Iterator[bytes]:
    """The lines of the log: the header, the findings in this order, what was searched, and the end."""
    at = sum(hunt.seconds for hunt in hunts)
    searched = [SearchedLine(at=at, searched=search) for hunt in hunts for search in hunt.searched]
    lines = (*(FindingLine(at=at, finding=finding) for finding in findings), *searched, EndLine(at=at))
    yield msgspec.json.encode(header) + b"\n"
    yield from (msgspec.json.encode(compact(line)) + b"\n" for line in lines)


def compact(value: object, *, exact: bool = False) -> object:
    """The value as JSON has it, without defaults of its structs; numbers that were measured have six digits."""
    if isinstance(value, msgspec.Struct):
        config, exact = value.__struct_config__, exact or isinstance(value, Case)
        fields = [(field, getattr(value, field.name)) for field in msgspec.structs.fields(value)]
        tag = {config.tag_field: config.tag} if config.tag_field else {}
        return tag | {
            field.encode_name: compact(each, exact=exact) for field, each in fields if not _is_default(field, each)
        }
    if isinstance(value, Mapping):
        return {name: compact(each, exact=exact) for name, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [compact(each, exact=exact) for each in value]
    return float(f"{value:.6g}") if isinstance(value, float) and not exact else value


def _is_default(field: msgspec.structs.FieldInfo, value: object) -> bool:
    return value is msgspec.UNSET or value == (
        field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    )


def keep(folders: Sequence[Path], verdicts: Verdicts | None = None, log: Path | None = None, scope: str = "") -> None:
    """Writes the log and the page of one hunt, or of several hunts of one operator each; without refuted findings."""
    hunts = [read_hunt(folder) for folder in folders]
    headers = [hunt.header for hunt in hunts]
    found = [finding for hunt in hunts for finding in hunt.findings.values()]
    refuted = verdicts.false if verdicts else frozenset()
    if unknown := refuted - set(map(finding_key, found)):
        raise SystemExit(f"invalid verdicts: {min(unknown)[0]} is in no log here; judge one log, and keep that one")
    listed = [msgspec.structs.replace(each, found=None) for each in found if finding_key(each) not in refuted]
    ordered = [listed[int(number)] for number in ranking({str(at): each for at, each in enumerate(listed)}).order]
    HUNTS.mkdir(exist_ok=True)
    log = log or HUNTS / f"{log_name(headers, scope)}.ndjson"
    write_atomic(log, b"".join(kept_lines(public_header(headers, verdicts), hunts, ordered)).decode())
    write_page(log)


def write_page(log: Path) -> None:
    """Writes the page of a kept log."""
    path = log.with_suffix(".md")
    earlier = path.read_text(encoding="utf-8") if path.exists() else ""
    write_atomic(path, page(log.stem, read_hunt(log), earlier))


def main(arguments: Sequence[str]) -> None:
    """Keeps the hunts in these folders, or writes the pages of these logs again."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="FOLDER|LOG")
    parser.add_argument("--verdicts", type=Path, metavar="FILE", help="written by benches/hunt_judge.py")
    parser.add_argument("--scope", choices=SCOPES, default="", help="what was hunted: the end of the log's name")
    given = parser.parse_args(arguments)
    verdicts = msgspec.json.decode(given.verdicts.read_bytes(), type=Verdicts) if given.verdicts else None
    if any(path.is_dir() for path in given.paths):
        keep(given.paths, verdicts, scope=given.scope)
    elif verdicts:
        if len(given.paths) > 1:
            parser.error("verdicts are of one log")
        (log,) = given.paths
        keep([log], verdicts, log)
    else:
        for path in given.paths:
            write_page(path)


if __name__ == "__main__":
    main(sys.argv[1:])
