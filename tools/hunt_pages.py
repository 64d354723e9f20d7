"""Keeps the findings of hunts in docs/hunts: a log of the findings of each build or pair, and a page of the costliest.

autoperf hunt --mxnet 1.9.1 --time-budget 8h --folder FOLDER  # all operators
python tools/hunt_pages.py FOLDER                             # docs/hunts/1.9.1.ndjson.gz and 1.9.1.md
autoperf hunt --operator "$(python benches/opperf_defaults.py --mxnet 1.9.1 --names)" --time-budget 220m --folder DEEP
python tools/hunt_pages.py FOLDER DEEP --scope "that opperf runs"       # DEEP replaces FOLDER in its operators
autoperf hunt --mxnet 1.9.1 --mxnet 2.0.0b1 --time-budget 8h --folder BETWEEN
python tools/hunt_pages.py BETWEEN                            # 2.0.0b1-1.9.1.ndjson.gz and .md
autoperf hunt --against torch --time-budget 8h --folder AGAINST
python tools/hunt_pages.py AGAINST                            # 1.9.1-torch.ndjson.gz and .md
python tools/hunt_pages.py docs/hunts/*.ndjson.gz             # the pages of kept logs again

python benches/hunt_judge.py FOLDER --findings 1000 --verdicts FILE
python tools/hunt_pages.py FOLDER --verdicts FILE             # without the findings that a plain loop refutes
python tools/hunt_pages.py docs/hunts/1.9.1.ndjson.gz --verdicts FILE    # likewise, of a kept log
python tools/hunt_pages.py docs/hunts/1.9.1.ndjson.gz --recount    # without those that rules of today refute
python tools/hunt_pages.py docs/hunts/1.9.1.ndjson.gz --count      # with the instructions of those that lack them
python tools/hunt_pages.py docs/hunts/1.9.1.ndjson.gz --count --first 60       # of the 60 costliest alone

Logs are kept without the findings that today's counts of work don't call so.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from queue import Queue
from textwrap import fill
from typing import NamedTuple

import msgspec

from autoperf.backends.lookup import MXNET, backend_of, parse_framework
from autoperf.backends.releases import is_version
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError
from autoperf.core.events import FindingConfirmed, HuntFinished, OperatorSearched
from autoperf.core.files import NDJSON, write_atomic
from autoperf.core.finding import CauseRanking, Finding, FindingCode, SideRecord
from autoperf.core.outcome import since
from autoperf.core.texts import count
from autoperf.hunt.findings import cost, family, interval
from autoperf.hunt.instructions import CodeCounter, CountedSide
from autoperf.hunt.registry_causes import ranking
from autoperf.hunt.report import cause_table, cost_words, signals
from autoperf.hunt.stored import Hunted, finding_key, read_hunt
from autoperf.measurement.placement import own_processors
from autoperf.measurement.scratch import scratch_folder
from autoperf.measurement.settings import Settings
from autoperf.reports.layout import cells, heading
from autoperf.reports.units import describe_case, duration, factor
from autoperf.rules.catalog import catalog
from autoperf.runs.huntlog import PACKED, HuntHeader
from tools.page_blocks import DOCS
from tools.recounted_findings import is_outdated

HUNTS = DOCS / "hunts"
CAUSES_SHOWN = 8
FINDINGS_SHOWN = 12
COST, OF_CAUSE = "- **cost**:", "Of a cause, the mean over its operators, by whose sum causes are ranked."
LINE = 160
LEAST = 2.0
"""The minimum slowdown of hunts whose log doesn't say it."""
COUNTED_AT_ONCE = 40
COUNT_SECONDS = 20.0
"""The processor's time for a finding's input, whose instructions are counted."""
ALIKE = 0.95
"""The share of the longest search that searches of halves of the operators reach."""
KEPT = NDJSON + PACKED
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

{findings} of a search of {operators} ([method](../method/hunt.md)): {causes} that several operators share,
and {own} of one operator alone. The costliest are listed; [{name}.ndjson.gz]({name}.ndjson.gz) has all:

    autoperf report docs/hunts/{name}.ndjson.gz             # both inputs of each, its family and the evidence
    autoperf report docs/hunts/{name}.ndjson.gz --weights captured.ndjson    # ranked by what calls of networks lose
    autoperf hunt --replay docs/hunts/{name}.ndjson.gz 1    # times finding 1 again; exits with 1 while it holds
    autoperf run --cases docs/hunts/{name}.ndjson.gz        # the slow and the fast input of each

- **ratio**: the time of the simplest input over {fast}, timed in turn,
  with its 95% interval; of a cause, the geometric mean over its operators.
{cost}
{judged}{recounted}"""
JUDGED = "- **judged**: a plain loop that shares no measurement with the hunt timed {timed} again {verdict}.\n"
RECOUNTED = "- **recounted**: {findings} of inputs that do less work, or don't fit, by rules of today, left out.\n"
FOOT = (
    "Searched: {searched}. An operator that isn't listed need not be fast. MXNet had {threads}. "
    "`python tools/hunt_pages.py` wrote this page."
)


class Wording(NamedTuple):
    """A page's words for its hunt: the title, and the time that the ratio divides by."""

    title: str
    fast: str

    @classmethod
    def of(cls, header: HuntHeader) -> Wording:
        """Of a hunt in one build, or between two."""
        if not header.sides:
            return cls(
                f"What is slow in MXNet {header.mxnet}",
                "that of its fast neighbour, for equal work unless a parameter differs",
            )
        slow, fast = (side.words for side in header.sides)
        return cls(f"What is slower in {slow} than in {fast}", f"its time on {fast}")


def _judged_words(listed: int, timed: int, refuted: int) -> str:
    verdict = f"refuted {refuted}, which are left out" if refuted else "refuted none"
    untimed = listed + refuted - timed
    return JUDGED.format(
        timed=timed, verdict=f"and {verdict}" + (f"; it could not time {untimed} others" if untimed else "")
    )


def _recounted_words(findings: int) -> str:
    return RECOUNTED.format(findings=count(findings, "finding")) if findings else ""


def stamp(header: HuntHeader) -> str:
    """The method, commit and date of a hunt, and whether the method has changed since."""
    commit = f", at commit {header.environment.git[:7]} of " if header.environment.git else " on "
    return f"Measured by method {header.method}{commit}{header.started[:10]}{since(header.method)}."


class Part(msgspec.Struct, frozen=True):
    """Operators hunted alike: each for so many seconds, with this seed and method. `which` says which they are."""

    seconds: float
    seed: int
    which: str
    operators: tuple[str, ...]
    method: int = 0

    @property
    def number(self) -> int:
        """The number of operators."""
        return len(self.operators)

    @property
    def words(self) -> str:
        """`220 operators that opperf runs for 60.0 s each (seed 0, method 3)`."""
        which = f" {self.which}" if self.which else ""
        how = f"for {self.seconds:.1f} s each (seed {self.seed}, method {self.method})"
        return f"{count(self.number, 'operator')}{which} {how}"


def page(name: str, hunt: Hunted) -> str:
    """The whole page of a kept log, with its costliest causes and findings."""
    header = hunt.header
    findings = {str(number): finding for number, finding in enumerate(hunt.findings.values(), 1)}
    ranked, wording = ranking(findings), Wording.of(header)
    head = HEAD.format(
        title=wording.title,
        stamp=stamp(header),
        name=name,
        fast=wording.fast,
        findings=count(len(findings), "finding"),
        operators=count(sum(part.number for part in parts_of(hunt)), "operator"),
        causes=count(len(ranked.causes), "cause"),
        own=count(len(ranked.own), "finding"),
        judged=_judged_words(len(findings), **header.options["judged"]) if header.options.get("judged") else "",
        recounted=_recounted_words(header.options.get("recounted", 0)),
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
    foot = " ".join((_foot(hunt), *(f"Counted by valgrind: {each}." for each in signals(hunt.findings.values()))))
    return "".join((head, *tables, f"\n{fill(foot, LINE, break_on_hyphens=False)}\n"))


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
        unlike = "" if finding.equal_work else ", contents unlike"
        yield cells((*facts, *([] if header.sides else [finding.step.partition(":")[0] + unlike])))


def _foot(hunt: Hunted) -> str:
    header = hunt.header
    return FOOT.format(
        searched=", and ".join(part.words for part in parts_of(hunt)),
        threads="an unknown number of threads" if header.threads is None else count(header.threads, "thread"),
    )


def parts_of(hunt: Hunted) -> tuple[Part, ...]:
    """The parts of a kept log; a hunt has one, in which the operators that it could search share the budget."""
    header = hunt.header
    if parts := header.options.get("parts"):
        kept = msgspec.convert(parts, tuple[Part, ...])
        return tuple(msgspec.structs.replace(part, method=part.method or header.method) for part in kept)
    unsearched = {search.operator for search in hunt.searched if search.reason}
    names = tuple(name for name in header.operators if name not in unsearched)
    return (Part(round(header.budget / max(1, len(names)), 1), header.seed, "", names, header.method),)


def joined(hunts: Sequence[Hunted], which: str = "") -> tuple[list[Hunted], tuple[Part, ...]]:
    """The hunts, each with the operators that no other one searched for longer, and the parts of all.

    Of equal times the later hunt has the operator. `which` is what the operators of the longest searches are.
    """
    if len(hunts) == 1:
        return list(hunts), parts_of(hunts[0])
    builds = {
        (each.mxnet, tuple(side.words for side in each.sides), each.threads) for each in (hunt.header for hunt in hunts)
    }
    if len(builds) > 1:
        raise SystemExit("hunts of different builds, sides or threads can't share a log; keep them one by one")
    listed = [(part.seconds, at, part) for at, hunt in enumerate(hunts) for part in parts_of(hunt)]
    owners = {name: (at, part) for _, at, part in sorted(listed, key=lambda each: each[:2]) for name in part.operators}
    longest = max(seconds for seconds, *_ in listed)
    # Halves of a hunt differ by the operators that neither could search.
    alike = [part for seconds, _, part in listed if seconds >= ALIKE * longest]
    shared = round(sum(part.seconds * part.number for part in alike) / sum(part.number for part in alike), 1)
    operators: dict[Part, list[str]] = {}
    for name, (_, part) in owners.items():
        seconds, words = (shared, which or part.which) if part in alike else (part.seconds, part.which)
        operators.setdefault(Part(seconds, part.seed, words, (), part.method), []).append(name)
    parts = [msgspec.structs.replace(part, operators=tuple(sorted(names))) for part, names in operators.items()]
    owned = [{name for name, (owner, _) in owners.items() if owner == at} for at in range(len(hunts))]
    return list(map(_owned, hunts, owned)), tuple(sorted(parts, key=lambda part: (-part.seconds, part.seed)))


def _owned(hunt: Hunted, names: Container[str]) -> Hunted:
    """The hunt of these operators alone."""
    return hunt._replace(
        findings={key: finding for key, finding in hunt.findings.items() if finding.operator in names},
        searched=tuple(search for search in hunt.searched if search.operator in names),
    )


def log_name(header: HuntHeader) -> str:
    """The name of a log and its page: the release, or the slow and the fast one; of a framework its name."""
    return "-".join([framework_of(side) or side.mxnet for side in header.sides] or [header.mxnet])


class Verdicts(msgspec.Struct, frozen=True):
    """What the judge timed: the keys of the findings, and of those that it refuted."""

    timed: frozenset[tuple[str, str]]
    false: frozenset[tuple[str, str]] = frozenset()


NO_VERDICTS = Verdicts(frozenset())


def public_header(
    headers: Sequence[HuntHeader], parts: Sequence[Part], judged: Mapping[str, int], recounted: int = 0
) -> HuntHeader:
    """One header for all hunts, the oldest one's, without names and paths of the machine."""
    first = min(headers, key=lambda header: (header.method, header.started))
    environment = msgspec.structs.replace(
        first.environment,
        machine="",
        system=first.environment.system.split()[0],
        settings={name: text for name, text in first.environment.settings.items() if name.startswith("OMP_")},
        mxnet={name: first.environment.mxnet.get(name) for name in ("version", "threads")},
    )
    return msgspec.structs.replace(
        first,
        budget=sum(part.seconds * part.number for part in parts),
        operators=tuple(sorted(name for part in parts for name in part.operators)),
        command=tuple(_public_command(first)),
        options={
            "library": None if first.sides else first.mxnet,
            "least": min(header.options.get("least", LEAST) for header in headers),
            "parts": msgspec.to_builtins(parts),
            **({"judged": judged} if judged else {}),
            **({"recounted": recounted} if recounted else {}),
        },
        environment=environment,
        sides=tuple(map(_public_side, first.sides)),
    )


def check_verdicts(hunts: Mapping[Path, Hunted], verdicts: Verdicts) -> None:
    """Raises SystemExit if a judged log is joined without its verdicts, of which it has only the number."""
    for path, hunt in hunts.items() if len(hunts) > 1 else ():
        keys = set(map(finding_key, hunt.findings.values()))
        if hunt.header.options.get("judged") and not keys & verdicts.timed:
            raise SystemExit(f"{path} was judged: give its verdicts too, or join the folders that it is made of")


def counts_of(
    hunts: Sequence[Hunted], verdicts: Verdicts, found: Iterable[tuple[str, str]], dropped: int
) -> dict[str, int]:
    """How many of the findings the judge timed and refuted; one log adds those that it lost earlier.

    So many that were `dropped` had been timed, too.
    """
    earlier: dict[str, int] = hunts[0].header.options.get("judged", {}) if len(hunts) == 1 else {}
    if not verdicts.timed:
        return {**earlier, "timed": earlier["timed"] - dropped} if earlier else {}
    keys, refuted = set(found), earlier.get("refuted", 0)
    return {"timed": len(verdicts.timed & keys) + refuted, "refuted": len(verdicts.false & keys) + refuted}


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
    searched = [OperatorSearched(at=at, searched=search) for hunt in hunts for search in hunt.searched]
    lines = (*(FindingConfirmed(at=at, finding=finding) for finding in findings), *searched, HuntFinished(at=at))
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


def keep(paths: Sequence[Path], verdicts: Verdicts = NO_VERDICTS, which: str = "", log: Path | None = None) -> None:
    """Writes the log and the page of these hunts in one build, or between two; without refuted findings.

    `which` is what the operators are that were searched for the longest time.
    """
    hunts = list(map(read_hunt, paths))
    if unknown := verdicts.false - {finding_key(each) for hunt in hunts for each in hunt.findings.values()}:
        raise SystemExit(f"invalid verdicts: {min(unknown)[0]} is in no log here; name the logs that were judged")
    kept, parts = joined(hunts, which)
    check_verdicts(dict(zip(paths, hunts, strict=True)), verdicts)
    every = {finding_key(finding): finding for hunt in kept for finding in hunt.findings.values()}
    rules = catalog().named
    least = min(hunt.header.options.get("least", LEAST) for hunt in hunts)
    found = {key: each for key, each in every.items() if not is_outdated(each, rules, least)}
    dropped = len(every) - len(found)
    recounted = dropped + sum(hunt.header.options.get("recounted", 0) for hunt in hunts)
    listed = [msgspec.structs.replace(each, found=None) for key, each in found.items() if key not in verdicts.false]
    ordered = [listed[int(number)] for number in ranking({str(at): each for at, each in enumerate(listed)}).order]
    header = public_header(
        [hunt.header for hunt in hunts], parts, counts_of(hunts, verdicts, found, dropped), recounted
    )
    log = log or HUNTS / f"{log_name(header)}{KEPT}"
    HUNTS.mkdir(exist_ok=True)
    write_atomic(log, gzip.compress(b"".join(kept_lines(header, kept, ordered)), mtime=0))
    write_page(log)


def count_findings(log: Path, first: int | None) -> None:
    """Counts the findings of a kept log that aren't counted yet, and writes the log and its page again.

    With `first`, only so many of the costliest are looked at. Counts aren't disturbed by load: each processor counts
    one at a time, and the log is written after each part, so that an interrupted call is continued by another.
    """
    hunt = read_hunt(log)
    findings = list(hunt.findings.values())
    left = [at for at, each in enumerate(findings[:first]) if each.code is None]
    with scratch_folder() as scratch, ExitStack() as stack, ThreadPoolExecutor(len(own_processors())) as threads:
        counters = [stack.enter_context(_code_counter(hunt.header, scratch / str(at))) for at in own_processors()]
        free = Queue[CodeCounter]()
        for counter in counters:
            free.put(counter)
        for begin in range(0, len(left), COUNTED_AT_ONCE):
            part = left[begin : begin + COUNTED_AT_ONCE]
            codes = threads.map(partial(_code_of, free), (findings[at] for at in part))
            for at, code in zip(part, codes, strict=True):
                findings[at] = msgspec.structs.replace(findings[at], code=code)
            _write_kept(log, hunt, findings)


@contextmanager
def _code_counter(header: HuntHeader, scratch: Path) -> Iterator[CodeCounter]:
    """Counts on the builds of a hunt."""
    builds = [(side.library, side.env) for side in header.sides] or [(header.mxnet, {})]
    settings = [Settings(env=env, timeout=COUNT_SECONDS) for _, env in builds]
    sides = [CountedSide(backend_of(MXNET).find(hint), own) for (hint, _), own in zip(builds, settings, strict=True)]
    scratch.mkdir()
    with ExitStack() as stack:
        yield CodeCounter(sides, scratch, stack)


def _code_of(free: Queue[CodeCounter], finding: Finding) -> FindingCode | None:
    """The code of a finding; None, with a line why, where it can't be counted."""
    counter = free.get()
    try:
        return counter.code(finding.case, finding.contrast, finding.pass_, finding.work)
    except AutoperfError as error:
        sys.stderr.write(f"{error}\n")
        return None
    finally:
        free.put(counter)


def _write_kept(log: Path, hunt: Hunted, findings: Sequence[Finding]) -> None:
    ordered = [findings[int(number)] for number in ranking({str(at): each for at, each in enumerate(findings)}).order]
    write_atomic(log, gzip.compress(b"".join(kept_lines(hunt.header, [hunt], ordered)), mtime=0))
    write_page(log)


def name_of(log: Path) -> str:
    """The name of a kept log and its page."""
    return log.name.removesuffix(KEPT)


def write_page(log: Path) -> None:
    """Writes the page of a kept log."""
    name = name_of(log)
    write_atomic(log.with_name(f"{name}.md"), page(name, read_hunt(log)))


def main(arguments: Sequence[str]) -> None:
    """Keeps the hunts in these folders and kept logs, or writes the pages of these logs again."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="FOLDER|LOG")
    parser.add_argument(
        "--verdicts", action="append", type=Path, metavar="FILE", help="written by benches/hunt_judge.py"
    )
    parser.add_argument(
        "--scope", default="", metavar="WORDS", help="what the operators are that were searched longest"
    )
    parser.add_argument("--recount", action="store_true", help="leave out what is no finding by today's counts of work")
    parser.add_argument("--count", action="store_true", help="count the instructions of findings that lack them")
    parser.add_argument("--first", type=int, metavar="N", help="of these only the N costliest")
    given = parser.parse_args(arguments)
    for log in given.paths if given.count else ():
        count_findings(log, given.first)
    if given.verdicts or given.recount or any(path.is_dir() for path in given.paths):
        judged = [msgspec.json.decode(file.read_bytes(), type=Verdicts) for file in given.verdicts or ()]
        verdicts = Verdicts(
            frozenset().union(*(each.timed for each in judged)), frozenset().union(*(each.false for each in judged))
        )
        alone = given.paths[0] if len(given.paths) == 1 and given.paths[0].name.endswith(KEPT) else None
        keep(given.paths, verdicts, given.scope, alone)
    else:
        for log in given.paths:
            write_page(log)


if __name__ == "__main__":
    main(sys.argv[1:])
