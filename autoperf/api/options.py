"""The options of the API's functions, with their types, checked where a caller hands them over."""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, TypeVar

from autoperf.api.arguments import Function, device_text, dtype_name, library_of, operator_path
from autoperf.api.results import PathText
from autoperf.backends.lookup import parse_framework
from autoperf.backends.user_code import add_extensions
from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.core import options as table
from autoperf.core.errors import UnknownNameError, UsageError, nearest
from autoperf.core.files import EXTENSIONS_VARIABLE, check_ndjson_suffix, expanded_path
from autoperf.core.finding import Signal
from autoperf.core.machine import parse_processors
from autoperf.core.options import Kind, Option
from autoperf.front.run_output import checked_cluster
from autoperf.measurement.placement import check_processors
from autoperf.measurement.settings import Settings, absolute
from autoperf.measurement.sides import settings_for_large

PROGRESS = Option("progress", Kind.SWITCH, "Whether progress and notices are shown.", True)
_CODE = (table.CASES, table.RULES, table.EXTENSION, table.MXNET)
PROCESS_OPTIONS = (table.MXNET, table.PROCESSES, PROGRESS)
"""The options of every function that measures."""
MEASURING_OPTIONS = (
    *table.SELECTION,
    *table.RECIPE,
    *table.RUN_SETTINGS,
    table.CALLER,
    table.INT64_TENSOR,
    *_CODE,
    table.FRAMEWORK,
    table.CLUSTER,
    table.RUN_FILE,
    PROGRESS,
)
"""The options of `measure`: those of `autoperf run`, and one of Python's own."""
COMPARING_OPTIONS = tuple(
    replace(option, default=table.SIDE_MAX_TIME) if option.name == "max_time" else option
    for option in MEASURING_OPTIONS
    if option not in (table.MXNET, table.FRAMEWORK)
)
"""The options of `compare_builds`: those of `measure`, without its build and framework."""
HUNTING_OPTIONS = (
    *table.SELECTION,
    table.PROFILE,
    table.SEED,
    table.DTYPE,
    replace(table.ELEMENTS, default=None),
    *table.HUNT,
    replace(table.TIMEOUT, default=20.0),
    table.MEMORY_LIMIT,
    table.CTX,
    table.COUNTERS,
    *_CODE,
    table.AGAINST,
    table.CLUSTER,
    PROGRESS,
)
"""The options of `run_hunt`: those of `autoperf hunt` for one build, or for one against another framework."""
_OTHERS = (
    Option("threshold", Kind.SHARE, ""),
    Option("margin", Kind.SHARE, ""),
    Option("allow_missing", Kind.SWITCH, ""),
)
_FLAG = re.compile(r"--([a-z][a-z-]*)")
_BY_NAME = {
    name: option
    for option in (*MEASURING_OPTIONS, *HUNTING_OPTIONS, *_OTHERS)
    for name in (option.name, option.also)
    if name
}
Profiler: TypeAlias = Literal["native", "python", "none"]
CountBy: TypeAlias = Literal["processor", "valgrind"]
Caller: TypeAlias = Literal["capi", "python"]
Texts: TypeAlias = str | Sequence[str]
Dtype: TypeAlias = Any
"""A dtype by its name, or one of NumPy's."""
Dtypes: TypeAlias = Dtype | Sequence[Dtype]
Paths: TypeAlias = PathText | Sequence[PathText]
_Takes = TypeVar("_Takes", bound=Callable[..., Any])


def _is_count(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_path(value: object) -> bool:
    return isinstance(value, str | PathLike)


def _are_texts(value: object) -> bool:
    return isinstance(value, str) or _are_all(lambda each: isinstance(each, str), value)


def _are_all(is_member: Callable[[object], bool], value: object) -> bool:
    # An iterator would be at its end after this check.
    return isinstance(value, Collection) and all(map(is_member, value))


def is_empty(value: object) -> bool:
    """Whether it is a list, or the like, of nothing: that isn't the same as none given."""
    return isinstance(value, Collection) and not isinstance(value, str) and len(value) == 0


def check_types(options: Mapping[str, object]) -> None:
    """Raises UsageError for a value of another type, and for an empty list; None stands for a default."""
    for name, value in options.items():
        if is_empty(value):
            raise UsageError(f"invalid {name} {value!r}: it is empty; leave it out, or give at least one")
        option = _BY_NAME.get(name)
        if option and value is not None and not _TAKEN[option.kind].check(value):
            raise UsageError(f"invalid {name} {value!r}: expected {_expected(option)}")


def converted(options: Mapping[str, object]) -> dict[str, Any]:
    """The values of arguments named as options, as fields take them, without None. Raises UsageError."""
    check_types(options)
    return {name: _TAKEN[_BY_NAME[name].kind].converted(each) for name, each in options.items() if each is not None}


def _expected(option: Option) -> str:
    return " or ".join(map(repr, option.choices)) if option.choices else option.kind.value


def in_python(option: Option) -> str:
    """The text about an option in a function's documentation: its help, and its type."""
    text = _FLAG.sub(lambda flag: f"`{flag[1].replace('-', '_')}`", option.help)
    return f"{text} Expects {_expected(option)}."


class ProcessKeywords(TypedDict, total=False):
    """Keyword arguments of opperf's functions, as PROCESS_OPTIONS."""

    mxnet: PathText | None
    processes: int
    progress: bool


class _CaseKeywords(TypedDict, total=False):
    category: Texts
    namespace: Texts
    input_profile: Texts
    seed: int
    dtype: Dtypes
    timeout: float
    memory_limit: int | None
    ctx: object
    counters: Texts
    cases: Paths
    rules: Paths
    extension: Paths
    cluster: str | None
    progress: bool


class ComparingKeywords(_CaseKeywords, total=False):
    """Keyword arguments of `compare_builds`, as COMPARING_OPTIONS."""

    draws: int
    max_elements: int
    processes: int
    profiler: Profiler
    warmup: int | None
    samples: int | None
    runs: int | None
    precision: float
    max_time: float
    time_budget: float | None
    cpus: int | str | Sequence[int] | None
    count_by: CountBy | None
    keep_dumps: PathText | None
    visits: int
    caller: Caller
    int64_tensor: bool
    backward: bool
    run_file: PathText | None


class MeasuringKeywords(ComparingKeywords, total=False):
    """Keyword arguments of `measure`, as MEASURING_OPTIONS."""

    mxnet: PathText | None
    framework: Texts


class HuntingKeywords(_CaseKeywords, total=False):
    """Keyword arguments of `run_hunt`, as HUNTING_OPTIONS."""

    max_elements: int | None
    time_budget: float
    at_least: float
    folder: PathText | None
    signal: Signal
    mxnet: PathText | None
    against: str | None


@dataclass(frozen=True)
class GivenOptions:
    """The options of a call; those that aren't given have their defaults."""

    table: tuple[Option, ...]
    given: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        option = next(option for option in self.table if option.name == name)
        value = self.given.get(name, option.default)
        return value if value is None else _TAKEN[option.kind].converted(value)

    def fields(self, options: Iterable[Option]) -> dict[str, Any]:
        """The values of some options, by the fields of the value that they become."""
        return {option.target: self[option.name] for option in options}

    @property
    def progress(self) -> bool:
        """Whether progress is shown."""
        return bool(self["progress"])

    @property
    def cluster(self) -> str | None:
        """The cluster that the user names. Raises UsageError if it isn't one, or if Dask isn't installed."""
        return checked_cluster(self["cluster"])

    def libraries(self, functions: Iterable[Function]) -> tuple[str, ...]:
        """The build that is measured: the imported mxnet package if functions are given; none is the installed one."""
        library = library_of(functions) if self["mxnet"] is None else str(self["mxnet"])
        return (library,) if library else ()

    def selection(self, functions: Iterable[Function]) -> Selection:
        """The operators of these functions, and of the categories and namespaces. Raises UsageError."""
        return Selection(operators=tuple(map(operator_path, functions)), **self.fields(table.SELECTION))

    @contextlib.contextmanager
    def with_extensions(self) -> Iterator[None]:
        """Within it, child processes load the caller's own operators. Raises UsageError for a path that is no file."""
        before = os.environ.get(EXTENSIONS_VARIABLE)
        try:
            add_extensions(self["extension"])
            yield
        finally:
            os.environ.pop(EXTENSIONS_VARIABLE, None)
            if before is not None:
                os.environ[EXTENSIONS_VARIABLE] = before


@dataclass(frozen=True)
class MeasuringOptions(GivenOptions):
    """The options of `measure`."""

    @property
    def recipe(self) -> Recipe:
        """Which cases of the operators are built. Raises UsageError and UnknownNameError."""
        fields = self.fields(table.RECIPE)
        recipe = Recipe(**{**fields, "profiles": frozenset(fields["profiles"]) or None})
        return replace(recipe, int64_tensor=True, draws=0) if self["int64_tensor"] else recipe

    def settings(self, *, backward: bool) -> Settings:
        """How cases are measured. Raises UsageError."""
        fields = self.fields(table.RUN_SETTINGS)
        for option in table.RUN_SETTINGS:
            option.check(fields[option.target])
        check_processors(fields["cpus"] or ())
        given_fields = {**fields, "keep_dumps": absolute(fields["keep_dumps"]), "backward": backward}
        settings = Settings(**given_fields, caller=self["caller"])
        given = {option.target for option in self.table if option.name in self.given}
        return settings_for_large(settings, given) if self["int64_tensor"] else settings

    @property
    def frameworks(self) -> tuple[str, ...]:
        """The framework that the user names, if any. Raises UsageError for several."""
        named = tuple(str(parse_framework(name)) for name in self["framework"])
        if len(named) > 1:
            raise UsageError(f"invalid framework {named}: expected one; `autoperf.compare` compares the results of two")
        return named

    @property
    def run_file(self) -> Path | None:
        """The run file that the user names. Raises UsageError for the suffix of another format."""
        path: Path | None = self["run_file"]
        if path is not None:
            check_ndjson_suffix(path, "run_file", "; `save` of the results writes a report")
        return path

    def check(self, *, inputs: bool) -> None:
        """Raises UsageError for options without effect beside the caller's own inputs, or beside files of cases."""
        drawing = ("draws", "seed", "max_elements", "int64_tensor")
        if inputs:
            self._reject(
                ("category", "namespace", "input_profile", *drawing, "cases"),
                "inputs are the arguments of each function",
            )
        elif self["cases"]:
            self._reject((*drawing, "dtype"), "cases have their own inputs")
        elif self["int64_tensor"]:
            self._reject(("input_profile", "draws", "max_elements"), "tensors of int64_tensor have sizes of their own")
        if self["samples"] is not None:
            self._reject(("precision",), "samples is the exact number of samples")

    def _reject(self, names: Iterable[str], reason: str) -> None:
        given = [name for name in names if name in self.given]
        if given:
            raise UsageError(f"{reason}: leave out {', '.join(given)}")


def process_options(keywords: ProcessKeywords) -> GivenOptions:
    """The options of these keyword arguments. Raises UnknownNameError, and UsageError for a value of another type."""
    return GivenOptions(PROCESS_OPTIONS, _given(keywords, PROCESS_OPTIONS))


def measuring_options(
    keywords: MeasuringKeywords | ComparingKeywords, options: tuple[Option, ...] = MEASURING_OPTIONS
) -> MeasuringOptions:
    """The options of these keyword arguments. Raises UnknownNameError, and UsageError for a value of another type."""
    return MeasuringOptions(options, _given(keywords, options))


def hunting_options(keywords: HuntingKeywords) -> GivenOptions:
    """The options of these keyword arguments. Raises UnknownNameError, and UsageError for an invalid value."""
    given = GivenOptions(HUNTING_OPTIONS, _given(keywords, HUNTING_OPTIONS))
    for option in HUNTING_OPTIONS:
        option.check(given[option.name])
    if given["input_profile"] and not given["cases"]:
        raise UsageError("input_profile selects cases of `cases`: leave out input_profile")
    return given


def _given(keywords: Mapping[str, Any], options: Iterable[Option]) -> dict[str, Any]:
    """The keywords with a value: None stands for the default. Raises UnknownNameError and UsageError."""
    own = {option.name: option.name for option in options}
    names = own | {option.also: option.name for option in options if option.also}
    for name in (name for name in keywords if name not in names):
        if nearest(name, own):
            raise UnknownNameError("option", name, own)
        raise UsageError(
            f"unknown option {name!r}; an input or a parameter of the operator goes into the dictionary of its inputs: "
            f"{{{name!r}: ..., ...}}; options are {', '.join(own)}"
        )
    check_types(keywords)
    given = [(names[name], value) for name, value in keywords.items() if value is not None]
    if len(dict(given)) < len(given):
        raise UsageError("samples and runs are the same option: give one of them")
    return dict(given)


def showing(options: Sequence[Option], command: str = "run") -> Callable[[_Takes], _Takes]:
    """A decorator: `help` and completion show these options in place of a function's `**options`."""

    def shown(function: _Takes) -> _Takes:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        keywords = [
            inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default) for each in options
        ]
        function.__signature__ = signature.replace(parameters=[*own, *keywords])  # type: ignore[attr-defined]
        lines = (
            textwrap.fill(f"{each.name:<16} {in_python(each)}", 116, subsequent_indent=" " * 17, break_on_hyphens=False)
            for each in options
        )
        listed = f"Options, as those of `autoperf {command}`; times are in seconds:\n\n" + "\n".join(lines)
        function.__doc__ = f"{inspect.getdoc(function)}\n\n{listed}"
        return function

    return shown


def dtype_names(dtypes: Dtypes) -> tuple[str, ...]:
    """The names of dtypes: of texts, and of NumPy's. Raises UnknownNameError."""
    each = dtypes if isinstance(dtypes, list | tuple) else (dtypes,)
    return tuple(dtype_name("dtype", dtype) for dtype in each)


def texts_of(values: Texts) -> tuple[str, ...]:
    """The texts of one, or of several."""
    return (values,) if isinstance(values, str) else tuple(map(str, values))


def _processors(value: int | str | Sequence[int]) -> tuple[int, ...]:
    if isinstance(value, str):
        return parse_processors(value)
    return tuple(sorted({int(each) for each in (value if isinstance(value, Collection) else (value,))}))


def _plain(value: Any) -> float:
    """A plain number: NumPy's can't be written to a file."""
    return value if isinstance(value, int) else float(value)


class _Taken(NamedTuple):
    """What a keyword of a kind takes: a check of the caller's value, and its conversion to the value of a field."""

    check: Callable[[Any], bool] = lambda _value: True
    converted: Callable[[Any], Any] = lambda value: value


_TAKEN: Mapping[Kind, _Taken] = {
    Kind.COUNT: _Taken(_is_count, int),
    Kind.BYTES: _Taken(_is_count, int),
    Kind.SECONDS: _Taken(_is_number, _plain),
    Kind.NUMBER: _Taken(_is_number, _plain),
    Kind.SHARE: _Taken(_is_number, _plain),
    Kind.SWITCH: _Taken(lambda value: isinstance(value, bool)),
    Kind.CHOICE: _Taken(lambda value: isinstance(value, str)),
    Kind.CHOICES: _Taken(_are_texts, texts_of),
    Kind.NAMES: _Taken(_are_texts, texts_of),
    # The conversions of dtypes and devices check them.
    Kind.DTYPES: _Taken(converted=dtype_names),
    Kind.DEVICE: _Taken(converted=device_text),
    Kind.PROCESSORS: _Taken(
        lambda value: isinstance(value, str) or _is_count(value) or _are_all(_is_count, value), _processors
    ),
    Kind.PATH: _Taken(_is_path, lambda path: expanded_path(path, "run_file")),
    Kind.PATHS: _Taken(
        lambda value: _is_path(value) or _are_all(_is_path, value),
        lambda paths: tuple(expanded_path(path, "path") for path in ([paths] if _is_path(paths) else paths)),
    ),
    Kind.LIBRARY: _Taken(_is_path),
    Kind.FRAMEWORK: _Taken(lambda value: isinstance(value, str)),
    Kind.CLUSTER: _Taken(lambda value: isinstance(value, str)),
}
