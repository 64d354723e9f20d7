"""One hunt as the user sees it: checks, progress, what was found at the end, and a folder that has all of it."""

from __future__ import annotations

import datetime as dt
import functools
import math
import os
import platform
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sized
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec
import psutil

from autoperf import __version__
from autoperf.cases.store import StoredGroups
from autoperf.cli.given import refuse
from autoperf.cli.output import notices, read_or_not, show_report, tell
from autoperf.cli.session import busy_machine, command_line, now
from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError
from autoperf.core.exits import Exit
from autoperf.core.inputs import read_input
from autoperf.core.operator import Registry
from autoperf.core.places import cache_folder
from autoperf.executor.prober import Prober
from autoperf.executor.roofline import known_roofline, roofline
from autoperf.executor.settings import Settings
from autoperf.hunt.replay import Logged
from autoperf.pipeline.doctor import check_threads
from autoperf.pipeline.hunt import LEAST_SHARE, Asked, Hunt, by_operator
from autoperf.pipeline.neighbours import Neighbours, before, behind
from autoperf.pipeline.release import Release, open_release, rule_limits
from autoperf.pipeline.scratch import scratch_folder
from autoperf.pipeline.selection import Selection, Target, targets
from autoperf.reports.hunt import HuntReport
from autoperf.reports.hunt_progress import hunt_progress_for
from autoperf.reports.units import span
from autoperf.results.environment import record
from autoperf.results.huntfile import JSON, LOG, HuntFolder, read_folder
from autoperf.results.huntlog import BegunHunt, Duelled, Ended, HuntHeader, Resumed, Tried, read_log, take_up

_FREE = frozenset({"resume", "form"})
BUDGET_TOLERANCE = 1.1


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line asks for, as the log's header keeps it."""

    categories: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    seed: int
    budget: float
    least: float
    elements: int
    cases: str | None = None
    timeout: float
    memory_limit: int | None = None
    ctx: str = "cpu"
    rules: tuple[str, ...] = ()
    library: str | None = None

    @property
    def selection(self) -> Selection:
        """Which operators."""
        return Selection(self.categories, self.operators, self.namespaces)

    @property
    def settings(self) -> Settings:
        """How inputs are run."""
        return Settings(processes=1, timeout=self.timeout, memory_limit=self.memory_limit, ctx=self.ctx)


@dataclass(frozen=True)
class Session:
    """A hunt that is to be begun, or gone on with."""

    wishes: Wishes
    output: Path
    form: str
    begun: BegunHunt | None = None

    def run(self) -> int:
        """Hunt, and show what was found; the exit code."""
        started = time.monotonic()
        check_threads(os.environ)
        with ExitStack() as stack:
            neighbours = stack.enter_context(Neighbours(cache_folder() / "running", command_line(), now()))
            scratch = stack.enter_context(scratch_folder())
            limits = rule_limits(self.wishes.settings)
            release = stack.enter_context(
                open_release(self.wishes.library, tuple(map(Path, self.wishes.rules)), limits)
            )
            tell(release.unknown_names())
            tell(release.name_notes(self.wishes.selection.operators))
            chosen = targets(release.registry, release.catalog, self.wishes.selection)
            recorded = _recorded(self.wishes.cases, release.registry)
            prober = stack.enter_context(Prober(release.library, self.wishes.settings, scratch))
            folder = stack.enter_context(
                HuntFolder(self.output, self._header(release, chosen, prober), begun=self.begun)
            )
            tell((*busy_machine(), *before(neighbours.earlier)))
            if self.begun:
                tell(self.begun.notices)
                folder.write(self._resumed(self.begun))
            if known_roofline(release.library) is None:
                tell(["measuring what this machine can do takes about three seconds, beside the budget"])
            known = roofline(release.library)
            tell(self._crowded(chosen))
            progress = stack.enter_context(hunt_progress_for(notices()))
            asked = self._asked(recorded)
            hunted = Hunt(release, asked, folder, progress, scratch)
            complete = hunted.run(chosen, prober, known)
            progress.finish()
            tell(beyond_budget(self.wishes.budget, asked.used, hunted.elapsed, time.monotonic() - started))
            tell(behind(neighbours.later))
            failures = release.rule_failures
        with read_or_not():
            self._show(folder, complete)
        if not complete:
            tell([f"interrupted; go on with `autoperf hunt --resume {folder.folder}`"])
        tell([f"results: {folder.folder}"])
        tell(failures)
        return _exit_code([*folder.findings, *failures]) if complete else Exit.INTERRUPTED

    def _crowded(self, chosen: Iterable[Target]) -> Iterator[str]:
        """That the budget is too little for so many operators, if it is."""
        count = sum(target.rule is not None for target in chosen)
        if count > 1 and self.wishes.budget < LEAST_SHARE * count:
            yield (
                f"{count:,} operators share {span(self.wishes.budget)}, and each needs {span(LEAST_SHARE)} or more "
                f"to be searched at all: name fewer, or take --budget {math.ceil(LEAST_SHARE * count / 60)}m"
            )

    def _asked(self, recorded: Mapping[str, list[Case]]) -> Asked:
        wishes = self.wishes
        return Asked(
            budget=wishes.budget,
            used=self.begun.at if self.begun else 0.0,
            seed=wishes.seed,
            least=wishes.least,
            elements=wishes.elements,
            settings=wishes.settings,
            recorded=recorded,
            logged=_logged(self.begun) if self.begun else {},
        )

    def _header(self, release: Release, chosen: Iterable[Target], prober: Prober) -> HuntHeader:
        return HuntHeader(
            autoperf=__version__,
            mxnet=release.registry.mxnet,
            seed=self.wishes.seed,
            budget=self.wishes.budget,
            operators=tuple(target.operator.name for target in chosen),
            started=now(),
            command=tuple(sys.argv[1:]),
            options=msgspec.to_builtins(self.wishes),
            environment=record(msgspec.to_builtins(prober.build)),
        )

    def _resumed(self, begun: BegunHunt) -> Resumed:
        return Resumed(
            at=begun.at,
            started=now(),
            command=tuple(sys.argv[1:]),
            machine=platform.node(),
            load=psutil.getloadavg(),
        )

    def _show(self, folder: HuntFolder, complete: bool) -> None:
        document = functools.partial(folder.json, complete=complete)
        show_report("hunt", self.form, HuntReport(folder.findings, folder.searched, document))


def beyond_budget(budget: float, used: float, elapsed: float, total: float) -> Iterator[str]:
    """What a hunt spent its seconds on, if it took more than a tenth longer than was asked for.

    `used` of the budget are of earlier sessions, `elapsed` counts those and this one's; `total` is this one's alone.
    """
    searching = elapsed - used
    if total > BUDGET_TOLERANCE * (budget - used):
        yield (
            f"the hunt took {span(total)} with a budget of {span(budget - used)}: {span(total - searching)} to start, "
            f"{span(searching)} to search and to confirm what was found"
        )


def begin(selection: Selection, form: str, asked: Mapping[str, Any]) -> int:
    """A new hunt; the exit code."""
    values = dict(asked)
    output = values.pop("output") or Path(f"hunt-{dt.datetime.now().astimezone():%Y%m%d-%H%M%S}")
    wishes = Wishes(
        categories=selection.categories,
        operators=selection.operators,
        namespaces=selection.namespaces,
        cases=str(cases) if (cases := values.pop("cases")) else None,
        rules=tuple(map(str, values.pop("rules"))),
        **values,
    )
    return Session(wishes, output, form).run()


def go_on(folder: Path, context: click.Context, form: str) -> int:
    """The hunt of this folder, as it was asked for; the exit code. Raises UsageError for other options beside it."""
    asked = {parameter.name or "" for parameter in context.command.params} - _FREE
    refuse(context, asked, f"--resume {folder} goes on with what was asked for then")
    begun = take_up(folder / LOG)
    try:
        wishes = msgspec.convert(begun.header.options, Wishes)
    except msgspec.ValidationError as error:
        begun.file.close()
        raise CaseFileError(f"{folder / LOG}, its header's options: {error}") from error
    if begun.complete:
        begun.file.close()
        tell([f"the hunt in {folder} is complete: nothing is left to do"])
        return _show_again(folder, form)
    return Session(wishes, folder, form, begun).run()


def _show_again(folder: Path, form: str) -> int:
    """What a hunt that is over has found; the exit code that it ended with."""
    hunted = read_folder(folder)
    tell(f"{text}; the line is left out" for text in hunted.unreadable)
    with read_or_not():
        show_report("hunt", form, HuntReport(hunted.findings, hunted.searched, lambda: _document(folder)))
    return _exit_code(hunted.findings)


def _document(folder: Path) -> str:
    return read_input(folder / JSON).decode(errors="replace")


def _exit_code(findings: Sized) -> int:
    return Exit.FINDING if findings else Exit.FINE


def _logged(begun: BegunHunt) -> dict[str, list[Logged]]:
    """What was asked for operators whose search was broken off."""
    found: dict[str, list[Logged]] = defaultdict(list)
    for event in begun.events():
        if isinstance(event, Tried | Duelled):
            found[event.operator].append(event)
        elif isinstance(event, Ended) and event.searched.ended != "interrupted":
            found.pop(event.searched.operator, None)
    return dict(found)


def _recorded(file: str | None, registry: Registry) -> dict[str, list[Case]]:
    """The cases of a case file, or those that another hunt has tried."""
    if file is None:
        return {}
    names = {name: operator.name for operator in registry.operators for name in operator.names}
    return by_operator(_cases_in(Path(file)), names)


def _cases_in(path: Path) -> Iterator[Case]:
    if path.name == LOG:
        unreadable: list[str] = []
        yield from (event.case for event in read_log(path, unreadable)[1] if isinstance(event, Tried))
        tell(f"{text}; the line is left out" for text in unreadable)
        return
    groups = StoredGroups(path)
    yield from (case for number in range(len(groups)) for case in groups[number])
