"""One hunt as the user sees it: checks, progress, what was found at the end, and a folder that has all of it."""

from __future__ import annotations

import datetime as dt
import math
import os
import platform
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec
import psutil
from click.core import ParameterSource

from autoperf import __version__
from autoperf.cases.store import StoredGroups
from autoperf.cli.invocation import command_line
from autoperf.cli.output import notices, put, show, tell
from autoperf.cli.run_output import INTERRUPTED
from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError, UsageError
from autoperf.core.operator import Registry
from autoperf.core.places import cache_folder
from autoperf.executor.prober import Prober
from autoperf.executor.roofline import roofline
from autoperf.executor.settings import Settings
from autoperf.hunt.replay import Logged
from autoperf.pipeline.concurrent_runs import ConcurrentRuns, notices_at_end, notices_at_start
from autoperf.pipeline.doctor import check_threads, load_check
from autoperf.pipeline.hunt import LEAST_SHARE, Hunt, HuntOptions, by_operator
from autoperf.pipeline.machine_use import now
from autoperf.pipeline.release import Release, open_release
from autoperf.pipeline.scratch import scratch_folder
from autoperf.pipeline.selection import Selection, Target, targets
from autoperf.reports import hunt as report
from autoperf.reports.hunt_progress import hunt_progress_for
from autoperf.reports.units import span
from autoperf.results.environment import record
from autoperf.results.huntfile import JSON, LOG, HuntFolder, read_folder
from autoperf.results.huntlog import (
    Ended,
    HuntHeader,
    HuntResumed,
    PairedTimes,
    ResumableHunt,
    Tried,
    open_for_resume,
    read_log,
)

FOUND = 1
_FREE = frozenset({"resume", "form"})


class HuntRequest(msgspec.Struct, frozen=True, kw_only=True):
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

    wishes: HuntRequest
    output: Path
    form: str
    begun: ResumableHunt | None = None

    def run(self) -> int:
        """Hunt, and show what was found; the exit code."""
        check_threads(os.environ)
        busy = load_check(os.getloadavg()[0], os.cpu_count() or 1)
        if busy.advice:
            notices().write(f"this machine is busy: load {busy.finding}; {busy.advice}\n")
        with ExitStack() as stack:
            others = stack.enter_context(ConcurrentRuns(cache_folder() / "running", command_line(), now()))
            tell(notices_at_start(others.earlier))
            scratch = stack.enter_context(scratch_folder())
            release = stack.enter_context(open_release(self.wishes.library, tuple(map(Path, self.wishes.rules))))
            tell(release.unknown_names())
            chosen = targets(release.registry, release.catalog, self.wishes.selection)
            recorded = _recorded(self.wishes.cases, release.registry)
            prober = stack.enter_context(Prober(release.library, self.wishes.settings, scratch))
            folder = stack.enter_context(
                HuntFolder(self.output, self._header(release, chosen, prober), begun=self.begun)
            )
            if self.begun:
                folder.write(self._resumed(self.begun))
            known = roofline(release.library)
            tell(self._crowded(chosen))
            progress = stack.enter_context(hunt_progress_for(notices()))
            asked = self._asked(recorded)
            complete = Hunt(release, asked, folder, progress, scratch).run(chosen, prober, known)
            progress.finish()
            tell(notices_at_end(others.later))
        self._show(folder, complete)
        return (FOUND if folder.findings else 0) if complete else INTERRUPTED

    def _crowded(self, chosen: Iterable[Target]) -> Iterator[str]:
        """That the budget is too little for so many operators, if it is."""
        count = sum(target.rule is not None for target in chosen)
        if count > 1 and self.wishes.budget < LEAST_SHARE * count:
            yield (
                f"{count:,} operators share {span(self.wishes.budget)}, and each needs {span(LEAST_SHARE)} or more "
                f"to be searched at all: name fewer, or take --budget {math.ceil(LEAST_SHARE * count / 60)}m"
            )

    def _asked(self, recorded: Mapping[str, list[Case]]) -> HuntOptions:
        wishes = self.wishes
        return HuntOptions(
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

    def _resumed(self, begun: ResumableHunt) -> HuntResumed:
        return HuntResumed(
            at=begun.at,
            started=now(),
            command=tuple(sys.argv[1:]),
            machine=platform.node(),
            load=psutil.getloadavg(),
        )

    def _show(self, folder: HuntFolder, complete: bool) -> None:
        if self.form == "json":
            put(folder.json(complete=complete))
        elif self.form == "md":
            put(report.to_markdown(folder.findings, folder.searched))
        else:
            show(report.table(folder.findings, folder.searched))
        if not complete:
            notices().write(f"interrupted; go on with `autoperf hunt --resume {folder.folder}`\n")
        notices().write(f"results: {folder.folder}\n")


def begin(selection: Selection, form: str, asked: Mapping[str, Any]) -> int:
    """A new hunt; the exit code."""
    values = dict(asked)
    output = values.pop("output") or Path(f"hunt-{dt.datetime.now().astimezone():%Y%m%d-%H%M%S}")
    wishes = HuntRequest(
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
    given = [
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name not in _FREE
        and context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
    ]
    if given:
        raise UsageError(f"--resume {folder} goes on with what was asked for then: leave {given[0]} out")
    begun = open_for_resume(folder / LOG)
    try:
        wishes = msgspec.convert(begun.header.options, HuntRequest)
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
    if form == "json":
        put((folder / JSON).read_text(encoding="utf-8"))
    elif form == "md":
        put(report.to_markdown(hunted.findings, hunted.searched))
    else:
        show(report.table(hunted.findings, hunted.searched))
    return FOUND if hunted.findings else 0


def _logged(begun: ResumableHunt) -> dict[str, list[Logged]]:
    """What was asked for operators whose search was broken off."""
    found: dict[str, list[Logged]] = defaultdict(list)
    for event in begun.events():
        if isinstance(event, Tried | PairedTimes):
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
        yield from (event.case for event in read_log(path)[1] if isinstance(event, Tried))
        return
    groups = StoredGroups(path)
    yield from (case for number in range(len(groups)) for case in groups[number])
