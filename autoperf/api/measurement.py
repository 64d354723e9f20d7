"""`autoperf.measure`, `autoperf.compare` and `autoperf.load`: measuring from Python, and reading stored runs."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autoperf.api.arguments import (
    Arguments,
    Calls,
    Function,
    calls_of,
    check_device,
    functions_of,
    handwritten_call,
    runs_backward,
)
from autoperf.api.options import (
    COMPARING_OPTIONS,
    MEASURING_OPTIONS,
    ComparingKeywords,
    MeasuringKeywords,
    MeasuringOptions,
    check_types,
    converted,
    measuring_options,
    showing,
)
from autoperf.api.results import ComparisonResults, PathText, RunResults, path_of
from autoperf.cases.build import Recipe
from autoperf.cases.handwritten import USER_PROFILE, check_count
from autoperf.cases.release import open_release
from autoperf.cases.selection import Selection, check_categories
from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import THRESHOLD, ComparisonOptions
from autoperf.core.errors import UsageError
from autoperf.core.interrupts import interrupts_resent
from autoperf.core.texts import count
from autoperf.front.compare_sides import check_sides, mode_in_turn
from autoperf.front.output import notices, session_sink
from autoperf.front.run_output import session_of
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.run_session import FinishedRun, RunEndedError, RunMode
from autoperf.registry.names import Names
from autoperf.reports.progress import Display, NotebookProgress, progress_for
from autoperf.rules.front_end import FRONT_END
from autoperf.runs.run_reader import RunReader

if TYPE_CHECKING:
    from typing_extensions import Unpack

COMMAND = "measure"
"""The command in the headers of run files that were made from Python."""


@showing(MEASURING_OPTIONS)
def measure(
    operators: Function | Sequence[Function] | None = None,
    inputs: Calls | None = None,
    **options: Unpack[MeasuringKeywords],
) -> RunResults:
    """Measures operators as `autoperf run` does, and returns the results.

    `operators` are functions of mx.nd, mx.np, mx.npx or mx.sym, or names: of operators, of functions, or globs. Without
    `inputs`, each operator's own cases are measured; `inputs` are the arguments of one call, or of several, of each
    function: shapes, arrays, numbers. Without `operators`, the options choose them, by default all; an empty list is a
    mistake.

    Raises AutoperfError for mistakes, and KeyboardInterrupt after Ctrl-C, when the results so far are in the run file.
    """
    given = measuring_options(options)
    functions = () if operators is None else functions_of(operators)
    calls = () if inputs is None else calls_of(inputs)
    request = _request(functions, calls, given, given.libraries(functions), given.frameworks)
    with given.with_extensions():
        return request.measure(_own_calls(functions, calls))


@showing(COMPARING_OPTIONS, "compare")
def compare_builds(
    base: PathText,
    new: PathText,
    operators: Function | Sequence[Function] | None = None,
    inputs: Calls | None = None,
    *,
    threshold: float = THRESHOLD,
    margin: float | None = None,
    **options: Unpack[ComparingKeywords],
) -> ComparisonResults:
    """Measures two builds of MXNet in turn, as `autoperf compare --mxnet BASE --mxnet NEW` does, and compares them.

    `base` and `new` are releases or paths of libmxnet.so, `operators` and `inputs` as for `autoperf.measure`, and
    `threshold` and `margin` as for `autoperf.compare`. Raises AutoperfError for mistakes, and KeyboardInterrupt after
    Ctrl-C, when the results so far are in the run files.
    """
    wanted = ComparisonOptions(**converted({"threshold": threshold, "margin": margin}))
    given = measuring_options(options, COMPARING_OPTIONS)
    functions = () if operators is None else functions_of(operators)
    calls = () if inputs is None else calls_of(inputs)
    for hint in (base, new):
        check_types({"mxnet": hint})
    request = _request(functions, calls, given, (str(base), str(new)))
    with given.with_extensions():
        return request.compare(_own_calls(functions, calls), wanted)


def _request(
    functions: Sequence[Function],
    calls: Sequence[Arguments],
    options: MeasuringOptions,
    libraries: tuple[str, ...],
    frameworks: tuple[str, ...] = (),
) -> MeasuringRequest:
    options.check(inputs=bool(calls))
    backward = {runs_backward(call, options["backward"]) for call in calls} or {options["backward"]}
    if len(backward) > 1:
        raise UsageError("run_backward differs between the inputs of one run: measure those without it apart")
    settings = options.settings(backward=backward.pop())
    run = RunRequest(
        options.selection(functions), options.recipe, settings, options["cases"], options.run_file, libraries,
        options["rules"], frameworks=frameworks,
    )  # fmt: skip
    return MeasuringRequest(run, options.progress, options.cluster)


def _own_calls(functions: Sequence[Function], calls: Sequence[Arguments]) -> list[FunctionCall]:
    """A call of each function for each of the inputs. Raises UsageError for inputs without a function."""
    if calls and not functions:
        raise UsageError("inputs need a function: name it, or give one of mx.nd, mx.np, mx.npx or mx.sym")
    return [FunctionCall(function, call) for function in functions for call in calls]


@dataclass(frozen=True)
class FunctionCall:
    """A function and the arguments of one call; `profile` names the case in the results."""

    function: Function
    arguments: Arguments
    profile: str = USER_PROFILE


@dataclass(frozen=True)
class MeasuringRequest:
    """A run and where it is measured: `cluster` is the address of a Dask cluster, None this machine."""

    run: RunRequest
    progress: bool = True
    cluster: str | None = None

    def measure(self, calls: Sequence[FunctionCall] = ()) -> RunResults:
        """Measures these calls, or what the run selects. Raises AutoperfError, and KeyboardInterrupt after Ctrl-C."""
        (side,) = self._measured(self._of(calls), RunMode(COMMAND)).sides
        return RunResults(side.path)

    def compare(self, calls: Sequence[FunctionCall], options: ComparisonOptions) -> ComparisonResults:
        """Measures the same in two builds, in turn, and compares them. Raises as `measure` does."""
        request = self._of(calls)
        check_sides(request)
        base, new = self._measured(request, mode_in_turn(request, options)).sides
        return ComparisonResults(compare_files(base.path, new.path, options))

    def _of(self, calls: Sequence[FunctionCall]) -> RunRequest:
        run = self.run
        if not calls:
            if not run.cases:
                check_categories(run.selection.categories)
            return run
        with open_release(next(iter(run.libraries), None)) as release:
            names = Names(release.registry, FRONT_END)
            for call in calls:
                check_device(call.arguments, run.settings.ctx)
            written = [
                handwritten_call(names, call.function, call.arguments, run.recipe.dtypes, call.profile)
                for call in calls
            ]
        return replace(run, selection=Selection(), recipe=Recipe(), handwritten=tuple(check_count(written)))

    def _measured(self, request: RunRequest, mode: RunMode) -> FinishedRun:
        """Measures a request. With progress, it and notices go to standard error, or below the cell of a notebook."""
        with interrupts_resent(), session_sink(progress_display() if self.progress else None) as sink:
            try:
                finished = session_of(request, sink, mode, self.cluster).run()
            except RunEndedError as error:
                raise RunEndedError(f"{error}; {_kept(error.run)}", error.run) from error
        if not finished.complete:
            raise KeyboardInterrupt(_kept(finished))
        return finished


def load(path: PathText) -> RunResults:
    """The results of a run file. Raises CaseFileError for any other file."""
    results = RunResults(_run_path(path))
    with RunReader(results.path):
        return results


def compare(
    base: RunResults | PathText,
    new: RunResults | PathText,
    *,
    threshold: float = THRESHOLD,
    margin: float | None = None,
    allow_missing: bool = False,
) -> ComparisonResults:
    """Compares two runs case by case, as `autoperf compare` does: ratios are NEW / BASE.

    `threshold` is the smallest change that is reported, `margin` the known difference between runs of one build; both
    are shares, such as 0.05. The result's `lost` has the figures that `base` has and `new` lacks; with `allow_missing`
    only cases that failed, crashed or timed out there. Raises CaseFileError for an unreadable file, UsageError if no
    case is in both.
    """
    options = ComparisonOptions(**converted({"threshold": threshold, "margin": margin, "allow_missing": allow_missing}))
    return ComparisonResults(compare_files(_run_path(base), _run_path(new), options))


def _run_path(run: RunResults | PathText) -> Path:
    return run.path if isinstance(run, RunResults) else path_of(run)


def _kept(run: FinishedRun) -> str:
    paths = " and ".join(str(side.path) for side in run.sides)
    return f"{count(run.kept, 'outcome')} kept in {paths}; autoperf.load reads the file"


def progress_display() -> Display:
    """A bar below the cell in a notebook, else the display of the command line."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if hasattr(shell, "kernel"):
        with contextlib.suppress(ImportError):
            from IPython import display  # noqa: PLC0415 - only a notebook has it

            return NotebookProgress(display)
    return progress_for(notices())
