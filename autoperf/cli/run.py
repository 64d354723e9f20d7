"""`autoperf run`, and its `--resume FILE`; `python FILE`, which measures the cases of a rendered file."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from autoperf.cli import options
from autoperf.cli.command import Command, config_option, given_options, reject_options, set_names
from autoperf.cli.option_types import expanded
from autoperf.cli.options import option_of
from autoperf.cli.report_options import VIEW, quiet_option, shown_options
from autoperf.core import options as table
from autoperf.core.clocks import PYTHON
from autoperf.core.errors import UsageError
from autoperf.front.output import check_report, tell

if TYPE_CHECKING:
    from autoperf.front.stored_reports import Shown
    from autoperf.measurement.run_request import RunRequest
    from autoperf.measurement.settings import Settings


FREE = frozenset(
    {*VIEW, "form", "opperf_form", "resume", "output", "report", "extensions", "quiet", "cluster", "config"}
)
"""Options that may differ from those of the run that is resumed."""
_GROUPS = ("selection", "recipe", "settings", "own")
_WITHOUT_EFFECT = ("draws", "profiles", "elements", "inputs", "params", "cases")
"""Options that have no effect beside --int64-tensor."""


def resume_run(path: Path, given: RunRequest, shown: Shown, context: click.Context, cluster: str | None = None) -> int:
    """Measures the rest of this file's run; returns the exit code. Raises UsageError if `given` contradicts it."""
    from autoperf.front.run_output import end_of, exit_code, measure, request_of
    from autoperf.front.stored_reports import show_runs
    from autoperf.measurement.resumed_run import require_repeated, resume

    if shown.file:
        check_report(shown.file)
    with ExitStack() as stack:
        resumed = resume(path, stack)
        tell(resumed.notices)
        request = replace(request_of(resumed.options), output=given.output, resumed=resumed)
        for option in given_options(context):
            name = option.name or ""
            if name not in FREE and comparable(given, name) != comparable(request, name):
                raise UsageError(
                    f"{option.opts[0]} differs from the options of {path}: leave it out to resume that run, or start a "
                    "new one"
                )
        own_paths = {file.absolute() for file in (path, *resumed.paths)}
        if given.output and given.output.absolute() not in own_paths:
            raise UsageError(f"--resume {path} appends to that file: leave out --run-file")
        if not resumed.complete:
            require_repeated("run", path, request.sources, given.sources)
            return measure(request, shown, cluster)
    tell(f"{file} is complete: nothing to resume" for file in resumed.paths)
    show_runs(resumed.paths, shown, resumed.options.labels or ("",))
    return exit_code(map(end_of, resumed.paths))


def comparable(request: RunRequest, name: str) -> object:
    """The value of an option in a request, in a form that can be compared."""
    holder = next((group for group in _GROUPS if hasattr(getattr(request, group), name)), None)
    value = getattr(getattr(request, holder) if holder else request, name)
    if isinstance(value, Path):
        return str(value.absolute())
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [str(Path(item).absolute()) if Path(str(item)).exists() else str(item) for item in value]
    return msgspec.to_builtins(value)


@click.command(cls=Command)
@options.request_options(options.measuring_options(table.RUN_SETTINGS))
@option_of(table.CALLER)
@option_of(table.INT64_TENSOR)
@click.option(
    "--resume",
    metavar="FILE",
    callback=expanded,
    help="Resume the run of this run file after a kill or Ctrl-C, with the options stored in the file.",
)
@options.cluster_option
@config_option
@shown_options("run")
@quiet_option
@click.pass_context
def run(
    context: click.Context,
    request: RunRequest,
    caller: str,
    int64_tensor: bool,
    resume: Path | None,
    cluster: str | None,
    shown: Shown,
) -> int:
    """Measure operators forward and backward: kernel time, wall time, memory.

    Without a selection, every operator that a rule covers is measured. Each result is written to the run file at once.
    Several releases or frameworks measure the same cases, each in a run file of its own; different frameworks are
    called from Python.

    \b
    autoperf run --operator softmax
    autoperf run --operator softmax --input data=128x30522 --dtype float16,float32
    autoperf run --category reduction --time-budget 5m --report reductions.html
    autoperf run --resume run.ndjson
    """
    from autoperf.backends.lookup import has_several
    from autoperf.front.run_output import measure
    from autoperf.measurement.sides import settings_for_large

    if int64_tensor:
        reject_options(context, _WITHOUT_EFFECT, "--int64-tensor on has inputs of its own")
        recipe = replace(request.recipe, int64_tensor=True, draws=0)
        request = replace(request, recipe=recipe, settings=settings_for_large(request.settings, set_names(context)))
    if "caller" not in set_names(context) and has_several(request.frameworks):
        caller = PYTHON.name
    request = replace(request, settings=msgspec.structs.replace(request.settings, caller=caller))
    if resume is None:
        options.check_given(context, request.selection, request.own, request.cases)
        return measure(request, shown, cluster)
    return resume_run(resume, request, shown, context, cluster)


@click.command(cls=Command)
@options.measuring_options()
@options.run_file_option()
@options.library_option
@shown_options("run")
@quiet_option
@click.pass_obj
def file(path: str, settings: Settings, output: Path | None, library: str | None, shown: Shown) -> int:
    """Measure the cases of this file: forward, backward, memory."""
    from autoperf.cases.build import Recipe
    from autoperf.cases.selection import Selection
    from autoperf.front.run_output import measure
    from autoperf.measurement.run_request import RunRequest

    libraries = (library,) if library else ()
    return measure(RunRequest(Selection(), Recipe(), settings, (Path(path),), output, libraries), shown)
