"""The options of `autoperf.measure`, and those that all functions of the API share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar

from autoperf.api.functions import Function, device_text, library_of, operator_path
from autoperf.api.option_types import check_types
from autoperf.api.results import PathText
from autoperf.api.values import dtype_name
from autoperf.cases.build import Recipe
from autoperf.core.clocks import clocks_of_caller
from autoperf.core.errors import UnknownNameError, UsageError, nearest
from autoperf.core.limits import DEFAULT_MAX_TIME, DEFAULT_PROCESSES
from autoperf.core.paths import expanded_path
from autoperf.core.suffixes import check_ndjson_suffix
from autoperf.executor.settings import DEFAULT_PRECISION, DEFAULT_TIMEOUT, Settings
from autoperf.pipeline.selection import Selection

Profiler: TypeAlias = Literal["native", "python"]
Caller: TypeAlias = Literal["capi", "python"]
Texts: TypeAlias = str | Sequence[str]
Dtype: TypeAlias = Any
"""A dtype by its name, or one of NumPy's."""
Dtypes: TypeAlias = Dtype | Sequence[Dtype]
Paths: TypeAlias = PathText | Sequence[PathText]
_Takes = TypeVar("_Takes", bound=Callable[..., Any])


class ProcessKeywords(TypedDict, total=False):
    """Keyword arguments that become ProcessOptions."""

    mxnet: PathText | None
    processes: int
    progress: bool


class MeasuringKeywords(ProcessKeywords, total=False):
    """Keyword arguments that become MeasuringOptions."""

    category: Texts
    namespace: Texts
    profile: Texts
    dtype: Dtypes
    draws: int
    seed: int
    cases: Paths
    rules: Paths
    backward: bool
    caller: Caller
    profiler: Profiler
    warmup: int | None
    runs: int | None
    precision: float
    max_time: float
    time_budget: float | None
    timeout: float
    memory_limit: int | None
    ctx: object
    output: PathText | None


@dataclass(frozen=True, kw_only=True)
class ProcessOptions:
    """Options of every function that measures:

    mxnet        a release or a library; by default the imported mxnet package if functions are given, else the
                 installed one
    processes    how many processes time each case
    progress     whether progress and notices are shown
    """

    mxnet: PathText | None = None
    processes: int = DEFAULT_PROCESSES
    progress: bool = True

    def library(self, functions: Iterable[Function]) -> str | None:
        """The build that is measured; None is the installed one."""
        return str(self.mxnet) if self.mxnet is not None else library_of(functions)


@dataclass(frozen=True, kw_only=True)
class MeasuringOptions(ProcessOptions):
    """Options are those of `autoperf run`; times are in seconds, and a list may stand for a text or a path:

    category, namespace      select operators, beside those that are named
    profile, draws, seed     of the operators' own cases: their input profiles, the number of drawn ones, the seed
    dtype                    of tensors without one; several make a case each
    cases, rules             files of cases, and of the user's rules
    backward                 whether backward passes run
    caller                   "python" also times each call through MXNet's Python package
    profiler                 "native" for kernel and wall time, "python" for wall time only
    warmup, runs             iterations in each process; by default enough for `precision`, within `max_time` a case
    time_budget, timeout     of the whole run, and of each case
    memory_limit             bytes that a process may take; by default three quarters of the machine's memory
    ctx                      "cpu", "gpu(0)", or one of MXNet's contexts
    output                   the path of the run file
    mxnet                    a release or a library; by default the imported mxnet package if functions are given, else
                             the installed one
    processes                how many processes time each case
    progress                 whether progress and notices are shown
    """

    category: Texts = ()
    namespace: Texts = ()
    profile: Texts = ()
    dtype: Dtypes = ()
    draws: int = 2
    seed: int = 0
    cases: Paths = ()
    rules: Paths = ()
    backward: bool = True
    caller: Caller = "capi"
    profiler: Profiler = "native"
    warmup: int | None = None
    runs: int | None = None
    precision: float = DEFAULT_PRECISION
    max_time: float = DEFAULT_MAX_TIME
    time_budget: float | None = None
    timeout: float = DEFAULT_TIMEOUT
    memory_limit: int | None = None
    ctx: object = "cpu"
    output: PathText | None = None

    @property
    def recipe(self) -> Recipe:
        """Which cases of the operators are built. Raises UsageError and UnknownNameError."""
        return Recipe(self.seed, self.draws, frozenset(texts_of(self.profile)) or None, dtype_names(self.dtype))

    def selection(self, functions: Iterable[Function]) -> Selection:
        """The operators of these functions, and of the categories and namespaces. Raises UsageError."""
        return Selection(texts_of(self.category), tuple(map(operator_path, functions)), texts_of(self.namespace))

    def settings(self, *, backward: bool) -> Settings:
        """How cases are measured. Raises UsageError."""
        return Settings(
            profiler=self.profiler,
            warmup=self.warmup,
            runs=self.runs,
            processes=self.processes,
            precision=self.precision,
            max_time=self.max_time,
            time_budget=self.time_budget,
            timeout=self.timeout,
            memory_limit=self.memory_limit,
            ctx=device_text(self.ctx),
            backward=backward,
            clocks=clocks_of_caller(self.caller),
        )

    @property
    def case_files(self) -> tuple[Path, ...]:
        """The files of cases."""
        return _paths(self.cases)

    @property
    def rule_files(self) -> tuple[Path, ...]:
        """The files of rules."""
        return _paths(self.rules)

    @property
    def run_file(self) -> Path | None:
        """The run file that the user names. Raises UsageError for the suffix of another format."""
        if self.output is None:
            return None
        path = expanded_path(str(self.output), "output")
        check_ndjson_suffix(path, "output", "; `save` of the results writes a report")
        return path

    def check(self, *, inputs: bool) -> None:
        """Raises UsageError for options without effect beside the caller's own inputs, or beside files of cases."""
        selecting = {name: getattr(self, name) for name in ("category", "namespace", "profile")}
        drawing = {name: getattr(self, name) != getattr(type(self), name) for name in ("draws", "seed")}
        if inputs:
            given = {**selecting, **drawing, "cases": self.case_files}
            _reject_given(given, "inputs are the arguments of each function")
        elif self.case_files:
            _reject_given({**drawing, "dtype": self.dtype}, "cases have their own inputs")


def process_options(keywords: ProcessKeywords) -> ProcessOptions:
    """The options of these keyword arguments.

    Raises UnknownNameError for one that there isn't, UsageError for a value of another type.
    """
    check_names(keywords, ProcessOptions)
    check_types(keywords)
    return ProcessOptions(**_given(keywords))


def measuring_options(keywords: MeasuringKeywords) -> MeasuringOptions:
    """The options of these keyword arguments.

    Raises UnknownNameError for one that there isn't, UsageError for a value of another type.
    """
    check_names(keywords, MeasuringOptions)
    check_types(keywords)
    return MeasuringOptions(**_given(keywords))


def _given(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords with a value: None stands for the default."""
    return {name: value for name, value in keywords.items() if value is not None}


def check_names(keywords: Iterable[str], options: type[ProcessOptions]) -> None:
    """Raises UnknownNameError, with the nearest names, for a keyword that none of the options has, else UsageError."""
    known = [field.name for field in fields(options)]
    for name in (name for name in keywords if name not in known):
        if nearest(name, known):
            raise UnknownNameError("option", name, known)
        raise UsageError(
            f"unknown option {name!r}; a parameter of the operator goes into the dictionary of its inputs: "
            f"{{'data': ..., {name!r}: ...}}; options are {', '.join(known)}"
        )


def showing(options: type[ProcessOptions]) -> Callable[[_Takes], _Takes]:
    """A decorator: `help` and completion show these options in place of a function's `**options`."""

    def shown(function: _Takes) -> _Takes:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        parameters = [*own, *inspect.signature(options).parameters.values()]
        function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        function.__doc__ = f"{inspect.getdoc(function)}\n\n{inspect.getdoc(options)}"
        return function

    return shown


def _reject_given(options: Mapping[str, object], reason: str) -> None:
    names = [name for name, given in options.items() if given]
    if names:
        raise UsageError(f"{reason}: leave out {', '.join(names)}")


def dtype_names(dtypes: Dtypes) -> tuple[str, ...]:
    """The names of dtypes: of texts, and of NumPy's. Raises UnknownNameError."""
    each = dtypes if isinstance(dtypes, list | tuple) else (dtypes,)
    return tuple(dtype_name("dtype", dtype) for dtype in each)


def texts_of(values: Texts) -> tuple[str, ...]:
    """The texts of one, or of several."""
    return (values,) if isinstance(values, str) else tuple(map(str, values))


def _paths(paths: Paths) -> tuple[Path, ...]:
    single = [paths] if isinstance(paths, str | PathLike) else paths
    return tuple(expanded_path(str(path), "path") for path in single)
