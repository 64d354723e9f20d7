"""New, resumed and replayed hunts, with progress and notices on standard error."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
import msgspec

from autoperf.backends.lookup import MXNET, backend_of
from autoperf.cases.selection import Selection
from autoperf.cli.command import reject_options
from autoperf.core.clocks import INSTRUCTIONS
from autoperf.core.errors import AutoperfError, CaseFileError, Exit, UsageError
from autoperf.core.events import Sinks
from autoperf.front.output import notices, session_sink, show_report, tell
from autoperf.front.run_output import run_here_or_on
from autoperf.front.stored_reports import Shown, show_finished_hunt, show_hunt
from autoperf.front.streams import command_line, is_quiet
from autoperf.hunt.instructions import check_countable
from autoperf.hunt.progress import hunt_progress_for
from autoperf.hunt.recheck import SECONDS, STARTUP_SECONDS, logged_claim, recheck
from autoperf.hunt.request import HuntRequest, weighted_calls
from autoperf.hunt.session import HuntSession
from autoperf.hunt.sides import SidesRequest
from autoperf.hunt.stored import finding_variables
from autoperf.measurement import resumed_run
from autoperf.measurement.resumed_run import PathNotices, default_hunt_folder
from autoperf.measurement.scratch import scratch_folder
from autoperf.measurement.settings import Settings
from autoperf.reports.columns import View
from autoperf.reports.formats import names
from autoperf.runs.huntlog import LOG, HuntHeader, ResumableHunt, open_for_resume

_REPEATED = ("cases", "rules", "libraries", "environments", "against")
"""Options by which code can be named, which a resumed hunt takes from the command line too."""
_FREE = frozenset({"resume", "form", "weights", "extensions", "quiet", "cluster", *_REPEATED})
_OF_REPLAYS = frozenset({"replay", "libraries", "against", "counters", "ctx", "form", "quiet"})


def start_hunt(
    selection: Selection, form: str, *, output: Path | None, weights: Path | None, cluster: str | None,
    libraries: tuple[str, ...], environments: tuple[dict[str, str], ...], against: str | None, faster: bool,
    cases: tuple[Path, ...], rules: tuple[Path, ...], **settings: Any,
) -> int:  # fmt: skip
    """Starts a new hunt; `settings` are fields of its request. Returns the exit code. Raises UsageError."""
    sides = None
    if len(libraries) > 1 or any(environments) or against:
        variables = environments if any(environments) else ()
        sides = SidesRequest(libraries=libraries, environments=variables, faster=faster, against=against or "")
    elif faster:
        raise UsageError("--faster needs two sides: --mxnet A --mxnet B, or --env B:NAME=VALUE")
    request = HuntRequest(
        categories=selection.categories,
        operators=selection.operators,
        namespaces=selection.namespaces,
        cases=tuple(map(str, cases)),
        rules=tuple(map(str, rules)),
        library=libraries[0] if libraries and not sides else None,
        sides=sides,
        **settings,
    )
    return _hunt(request, output or default_hunt_folder(), form, weights, cluster=cluster)


def resume_hunt(folder: Path, context: click.Context, form: str, weights: Path | None) -> int:
    """Resumes a hunt with its own options; returns the exit code. Raises UsageError, CaseFileError for a broken log."""
    options = {parameter.name or "" for parameter in context.command.params} - _FREE
    reject_options(context, options, f"--resume {folder} uses the options of that hunt")
    resumed = open_for_resume(folder / LOG)
    try:
        request = msgspec.convert(resumed.header.options, HuntRequest)
    except (msgspec.ValidationError, UsageError) as error:
        resumed.file.close()
        raise CaseFileError(f"{folder / LOG}: invalid options in the header: {error}") from error
    if resumed.complete:
        resumed.file.close()
        tell([f"the hunt in {folder} is complete: nothing to resume"])
        return show_hunt(folder, weights, Shown(form, View()))
    try:
        given = {name: context.params[name] for name in _REPEATED if context.params[name] is not None}
        _check_sources(folder, resumed.header, request, resumed_run.StoredSources(**given))
    except AutoperfError:
        resumed.file.close()
        raise
    return _hunt(request, folder, form, weights, resumed, cluster=context.params["cluster"])


def _check_sources(folder: Path, header: HuntHeader, request: HuntRequest, given: resumed_run.StoredSources) -> None:
    """Raises UsageError for options that differ from the hunt's, and for code that the command line doesn't name."""
    stored = set(request.sources.words())
    for option, value, _ in given.words():
        if (option, value) not in {words[:2] for words in stored}:
            raise UsageError(f"{option} {value} differs from the options of the hunt in {folder}: leave it out")
    resumed_run.require_repeated("hunt", folder, request.sources, given)
    resumed_run.require_same_code(folder, finding_variables(header))
    sides = tuple((side.library, side.env, side.framework) for side in header.sides)
    if sides != (request.sides.builds if request.sides else ()):
        raise CaseFileError(f"{folder / LOG}: invalid sides in the header: expected those of its options")
    resumed_run.check_digests(folder, request.digests, request.cases, request.rules, "hunt")


def replay_finding(path: Path, number: int, context: click.Context, form: str) -> int:
    """Times both inputs of a stored finding in turn; returns the exit code. Raises UsageError and CaseFileError."""
    options = {parameter.name or "" for parameter in context.command.params} - _OF_REPLAYS
    reject_options(context, options, f"--replay {path} {number} times one finding again")
    if form not in names("recheck"):
        raise UsageError(f"--format {form} doesn't apply to --replay: expected {', '.join(names('recheck'))}")
    claim, libraries, against = logged_claim(path, number), context.params["libraries"], context.params["against"]
    resumed_run.require_named(path, claim.sources(libraries, against))
    counters, ctx = context.params["counters"], context.params["ctx"]
    backend_of(MXNET).check(os.environ)
    check_countable(counters or ((INSTRUCTIONS.name,) if claim.code_above else ()), ctx, claim.against)
    settings = Settings(ctx=ctx, timeout=SECONDS + STARTUP_SECONDS)
    with scratch_folder() as scratch:
        result = recheck(claim, claim.claimed(libraries, against), settings, scratch, counts=bool(counters))
    show_report("recheck", form, result)
    return Exit.FINDING if result.holds else Exit.FINE


def _hunt(
    request: HuntRequest,
    folder: Path,
    form: str,
    weights: Path | None,
    resumed: ResumableHunt | None = None,
    *,
    cluster: str | None,
) -> int:
    if weights:
        # A file that can't be read ends the command before the hunt.
        weighted_calls(weights)
    with session_sink(None if is_quiet() else hunt_progress_for(notices())) as sink:
        paths = PathNotices([folder], sink)
        session = HuntSession(request, folder, Sinks(sink, paths), command_line(), resumed)
        hunt = run_here_or_on(cluster, session)
        paths.tell()
    return show_finished_hunt(hunt, request.sources, form, weights)
