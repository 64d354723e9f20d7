"""`autoperf.measure`, `autoperf.compare` and `autoperf.load`: measuring from Python, and reading stored runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from autoperf.analysis.comparison import THRESHOLD, ComparisonOptions
from autoperf.api.arguments import Arguments, CallOptions, handwritten_call, runs_backward
from autoperf.api.functions import Function, device_text, library_of, operator_path
from autoperf.api.progress import run_with_progress
from autoperf.api.results import ComparisonResults, PathText, RunResults
from autoperf.cases.build import Recipe
from autoperf.cases.handwritten import USER_PROFILE, HandwrittenCase, check_count
from autoperf.core.clocks import clocks_of_caller
from autoperf.core.errors import UsageError
from autoperf.core.limits import DEFAULT_MAX_TIME, DEFAULT_PROCESSES
from autoperf.executor.settings import DEFAULT_PRECISION, DEFAULT_TIMEOUT, Settings
from autoperf.pipeline.file_comparison import compare_files
from autoperf.pipeline.release import open_release
from autoperf.pipeline.run_request import RunRequest
from autoperf.pipeline.selection import Selection, check_categories
from autoperf.registry.names import Names
from autoperf.results.run_reader import RunReader
from autoperf.rules.front_end import FRONT_END

Profiler: TypeAlias = Literal["native", "python"]
Caller: TypeAlias = Literal["capi", "python"]
Texts: TypeAlias = str | Sequence[str]
Calls: TypeAlias = Arguments | Sequence[Arguments]


def measure(
    operators: Function | Sequence[Function] = (),
    inputs: Calls = (),
    *,
    category: Texts = (),
    namespace: Texts = (),
    profile: Texts = (),
    dtype: Texts = (),
    samples: int = 2,
    seed: int = 0,
    cases: PathText | Sequence[PathText] = (),
    rules: PathText | Sequence[PathText] = (),
    backward: bool = True,
    profiler: Profiler = "native",
    warmup: int | None = None,
    runs: int | None = None,
    precision: float = DEFAULT_PRECISION,
    max_time: float = DEFAULT_MAX_TIME,
    processes: int = DEFAULT_PROCESSES,
    time_budget: float | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    memory_limit: int | None = None,
    ctx: object = "cpu",
    caller: Caller = "capi",
    mxnet: PathText | None = None,
    output: PathText | None = None,
    progress: bool = True,
) -> RunResults:
    """Measures operators as `autoperf run` does, with its options; times are in seconds, `memory_limit` in bytes.

    `operators` are functions of mx.nd, mx.np, mx.npx or mx.sym, or names: of operators, of functions, or globs. Without
    `inputs`, each operator's own cases are measured; `inputs` are the arguments of one call, or of several, of each
    function: shapes, arrays, numbers. `caller="python"` also times calls through MXNet's Python package. `mxnet` is a
    release or a library; by default the imported mxnet package if functions are given, else the installed one.
    `output` is the path of the run file.

    Raises AutoperfError for mistakes, and KeyboardInterrupt after Ctrl-C, when the results so far are in the run file.
    """
    functions, calls, files = _functions(operators), _calls(inputs), _paths(cases)
    settings = Settings(
        profiler=profiler,
        warmup=warmup,
        runs=runs,
        processes=processes,
        precision=precision,
        max_time=max_time,
        time_budget=time_budget,
        timeout=timeout,
        memory_limit=memory_limit,
        ctx=device_text(ctx),
        backward=_has_backward(calls, backward),
        clocks=clocks_of_caller(caller),
    )
    recipe = Recipe(seed, samples, frozenset(_texts(profile)) or None, _texts(dtype))
    selection = Selection(_texts(category), tuple(map(operator_path, functions)), _texts(namespace))
    library = str(mxnet) if mxnet is not None else library_of(functions)
    request = MeasuringRequest(selection, recipe, settings, library, _path(output), progress)
    _check_options(selection, recipe, inputs=bool(calls), cases=bool(files))
    if calls:
        each = [FunctionCall(function, call) for function in functions for call in calls]
        return request.measure_calls(each, _paths(rules))
    return request.measure(files, _paths(rules))


def _has_backward(calls: Iterable[Arguments], default: bool) -> bool:
    """Whether these calls have a backward pass. Raises UsageError if only some of them do."""
    wanted = {runs_backward(call, default) for call in calls} or {default}
    if len(wanted) > 1:
        raise UsageError("run_backward differs between the inputs of one run: measure those without it apart")
    return wanted.pop()


def _check_options(selection: Selection, recipe: Recipe, *, inputs: bool, cases: bool) -> None:
    """Raises UsageError for options without effect beside the caller's own inputs, or beside files of cases."""
    default = Recipe()
    draws = {"samples": recipe.samples != default.samples, "seed": recipe.seed != default.seed}
    if inputs:
        others = {"category": selection.categories, "namespace": selection.namespaces, "profile": recipe.profiles}
        _reject_given({**others, **draws, "cases": cases}, "inputs are the arguments of each function")
    elif cases:
        _reject_given({**draws, "dtype": recipe.dtypes}, "cases have their own inputs")


def _reject_given(options: Mapping[str, object], reason: str) -> None:
    names = [name for name, given in options.items() if given]
    if names:
        raise UsageError(f"{reason}: leave out {', '.join(names)}")


@dataclass(frozen=True)
class FunctionCall:
    """A function and the arguments of one call; `profile` names the case in the results."""

    function: Function
    arguments: Arguments
    profile: str = USER_PROFILE


@dataclass(frozen=True)
class MeasuringRequest:
    """What is measured and how; `library` is the release (None: the default), `output` the path of the run file."""

    selection: Selection
    recipe: Recipe
    settings: Settings
    library: str | None = None
    output: Path | None = None
    progress: bool = True

    def measure(self, cases: tuple[Path, ...] = (), rules: tuple[Path, ...] = ()) -> RunResults:
        """Measures the selected operators, or the cases of these files. Raises AutoperfError."""
        check_categories(self.selection.categories)
        request = RunRequest(self.selection, self.recipe, self.settings, cases, self.output, self._libraries, rules)
        return run_with_progress(request, shown=self.progress)

    def measure_calls(self, calls: Sequence[FunctionCall], rules: tuple[Path, ...] = ()) -> RunResults:
        """Measures these calls. Raises AutoperfError, also if MXNet refuses the arguments of one of them."""
        if not calls:
            raise UsageError("inputs need a function: name it, or give one of mx.nd, mx.np, mx.npx or mx.sym")
        request = RunRequest(
            Selection(), Recipe(), self.settings, output=self.output, libraries=self._libraries,
            rules=rules, handwritten=tuple(self._handwritten(calls)),
        )  # fmt: skip
        return run_with_progress(request, shown=self.progress)

    def _handwritten(self, calls: Sequence[FunctionCall]) -> list[HandwrittenCase]:
        training = None if self.settings.backward else False
        with open_release(self.library) as release:
            names = Names(release.registry, FRONT_END)
            written = [
                handwritten_call(
                    names, call.function, call.arguments, CallOptions(self.recipe.dtypes, training, call.profile)
                )
                for call in calls
            ]
        return check_count(written)

    @property
    def _libraries(self) -> tuple[str, ...]:
        return (self.library,) if self.library else ()


def load(path: PathText) -> RunResults:
    """The results of a run file. Raises CaseFileError for any other file."""
    results = RunResults(Path(path))
    with RunReader(results.path):
        return results


def compare(
    base: RunResults | PathText,
    new: RunResults | PathText,
    *,
    threshold: float = THRESHOLD,
    margin: float | None = None,
) -> ComparisonResults:
    """Compares two runs case by case, as `autoperf compare` does: ratios are NEW / BASE.

    `threshold` is the smallest change that is reported, `margin` the known difference between runs of one build; both
    are shares, such as 0.05. Raises CaseFileError for an unreadable file, UsageError if no case is in both.
    """
    options = ComparisonOptions(threshold=threshold, margin=margin)
    return ComparisonResults(compare_files(_run_path(base), _run_path(new), options))


def _run_path(run: RunResults | PathText) -> Path:
    return run.path if isinstance(run, RunResults) else Path(run)


def _functions(operators: Function | Sequence[Function]) -> tuple[Function, ...]:
    return (operators,) if isinstance(operators, str) or callable(operators) else tuple(operators)


def _calls(inputs: Calls) -> tuple[Arguments, ...]:
    return (inputs,) if hasattr(inputs, "items") else tuple(inputs)  # type: ignore[return-value]


def _texts(values: Texts) -> tuple[str, ...]:
    return (values,) if isinstance(values, str) else tuple(map(str, values))


def _path(path: PathText | None) -> Path | None:
    return None if path is None else Path(path).expanduser()


def _paths(paths: PathText | Iterable[PathText]) -> tuple[Path, ...]:
    single = isinstance(paths, str | Path) or hasattr(paths, "__fspath__")
    return tuple(_expanded([paths] if single else paths))  # type: ignore[arg-type,list-item]


def _expanded(paths: Iterable[PathText]) -> Iterator[Path]:
    yield from (Path(path).expanduser() for path in paths)
