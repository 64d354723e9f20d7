"""The vocabulary of suite files, and their loader: it runs their Python, and calls their functions for the cases."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from autoperf.core.case import Case, Input, check_case
from autoperf.core.errors import CaseFileError, innermost_line
from autoperf.core.files import read_input
from autoperf.core.graph import ExecutionMode, Graph, Node
from autoperf.core.operator import Value
from autoperf.core.tensors import (
    DTYPES,
    AnyContent,
    Ascending,
    Boxes,
    Constant,
    Content,
    Distinct,
    Integers,
    Literal_,
    Mask,
    Matrices,
    Normal,
    Pattern,
    Patterned,
    PlainContent,
    Probabilities,
    Shape,
    Storage,
    TensorSpec,
    Uniform,
    default_content,
)

FORMAT = 1
MARK = "__autoperf_case__"

F = TypeVar("F", bound=Callable[..., Any])


class Suite(msgspec.Struct, frozen=True, kw_only=True):
    """The header of a file: its format, the operator of its cases, and the release and seed it was made with."""

    operator: str
    category: str
    format: int = FORMAT
    mxnet: str = ""
    seed: int | None = None


class CaseMark(msgspec.Struct, frozen=True):
    """The arguments of the decorator `case`, attached to the function."""

    label: str
    profile: str
    in_place: tuple[str, ...]
    training: bool
    category: str | None
    way: ExecutionMode | None = None


def uniform(low: float = -1.0, high: float = 1.0) -> Uniform:
    """Uniform on [low, high)."""
    return Uniform(low, high)


def normal(mean: float = 0.0, std: float = 1.0) -> Normal:
    """Normal with this mean and standard deviation."""
    return Normal(mean, std)


def integers(low: int, high: int) -> Integers:
    """Whole numbers on [low, high), whatever the dtype."""
    return Integers(low, high)


def constant(value: float) -> Constant:
    """One value everywhere."""
    return Constant(value)


def literal(*values: float) -> Literal_:
    """Stated values in row-major order, repeated to fill the tensor."""
    return Literal_(values)


def distinct(high: int, ordered: bool = False) -> Distinct:
    """Distinct whole numbers on [0, high) along the last axis, ascending if `ordered`."""
    return Distinct(high, ordered)


def ascending(low: float = 0.0, high: float = 1.0) -> Ascending:
    """Uniform on [low, high), sorted along the last axis."""
    return Ascending(low, high)


def probabilities() -> Probabilities:
    """Positive values that sum to one along the last axis."""
    return Probabilities()


def mask(density: float = 0.5) -> Mask:
    """One with probability `density`, else zero."""
    return Mask(density)


def matrices(form: Literal["positive_definite", "symmetric", "dominant", "lower", "upper"]) -> Matrices:
    """Square matrices in the last two axes with the property that an algorithm needs."""
    return Matrices(form)


def boxes(
    width: float = 1.0,
    height: float = 1.0,
    lead: tuple[tuple[int, int], ...] = (),
    tail: tuple[tuple[int, int], ...] = (),
) -> Boxes:
    """Boxes (x1, y1, x2, y2) within width and height in four columns, `lead` in those before, `tail` in those after."""
    return Boxes(width, height, lead, tail)


def patterned(content: PlainContent, pattern: Pattern = "", drawn_as: str = "", kept: float = 0.5) -> Patterned:
    """Another content with a pattern: sorted, reversed, constant, few, zeros, zero_rows, subnormal or nan."""
    return Patterned(content, pattern, drawn_as, kept)


def tensor(
    shape: Shape,
    dtype: str = "float32",
    content: AnyContent | None = None,
    storage: Storage = "default",
    density: float = 1.0,
) -> TensorSpec:
    """A concrete input tensor.

    Without `content`: uniform on [-1, 1) for floating dtypes, whole numbers on [0, 10) for integers, a mask for bool.
    `density` is the share of elements (csr) or rows (row_sparse) that aren't zero. Raises CaseFileError for an invalid
    value.
    """
    dims = tuple(shape) if isinstance(shape, tuple | list) else None
    if dims is None or not all(type(size) is int and size >= 0 for size in dims):
        raise CaseFileError(f"tensor: invalid shape {shape!r}: expected a tuple of whole numbers from 0")
    if dtype not in DTYPES:
        raise CaseFileError(f"tensor: unknown dtype {dtype!r}; known are {', '.join(DTYPES)}")
    if content is not None and not isinstance(content, Content):
        raise CaseFileError(f"tensor: invalid content {content!r}: expected uniform(...), integers(...), ...")
    if storage not in ("default", "csr", "row_sparse"):
        raise CaseFileError(f"tensor: unknown storage {storage!r}; known are default, csr, row_sparse")
    return TensorSpec(dims, dtype, content or default_content(dtype), storage, density)


def graph(*inputs: str, nodes: list[Node], outputs: list[str]) -> Graph:
    """The body of a loop or branch, or of a fused operator: its variables, its nodes in order, and its outputs."""
    _check_names("graph", inputs)
    if not isinstance(nodes, list | tuple) or not all(isinstance(item, Node) for item in nodes):
        raise CaseFileError(f"graph: invalid nodes {nodes!r}: expected a list of node(...)")
    if not isinstance(outputs, list | tuple):
        raise CaseFileError(f"graph: invalid outputs {outputs!r}: expected a list of names")
    _check_names("graph", outputs)
    return Graph(inputs, tuple(nodes), tuple(outputs))


def node(name: str, operator: str, /, *inputs: str, **params: Value) -> Node:
    """One operator of a graph; `inputs` are names of variables or earlier nodes, `split[1]` is a second output."""
    _check_names("node", (name, operator, *inputs))
    return Node(name, operator, inputs, {key: parameter_value(key, value) for key, value in params.items()})


def _check_names(what: str, names: Iterable[object]) -> None:
    for name in names:
        if not isinstance(name, str):
            raise CaseFileError(f"{what}: invalid name {name!r}: expected text")


def case(
    label: str = "",
    *,
    profile: str = "user",
    in_place: tuple[str, ...] = (),
    training: bool = True,
    category: str | None = None,
    way: ExecutionMode | None = None,
) -> Callable[[F], F]:
    """Marks a function as a case; the function returns the operator's tensors and parameters by name.

    `in_place` names the inputs that the operator writes; `training` runs it in training mode; `way` is the execution
    mode if the operator isn't called imperatively: "graph" (the default with graphs), "compiled", "thread_safe",
    "fused", "eager" or "executor". Nothing is registered globally: the mark is an attribute of the function.
    Raises CaseFileError without parentheses.
    """
    if callable(label):
        raise CaseFileError("invalid @case: expected parentheses, @case()")

    def mark_function(function: F) -> F:
        setattr(function, MARK, CaseMark(label, profile, in_place, training, category, way))
        return function

    return mark_function


def parameter_value(name: str, value: object) -> Value:
    """The value of a parameter, with tuples for lists. Raises CaseFileError for an invalid one."""
    if isinstance(value, list | tuple):
        # No operator takes deeper nesting than a tuple of tuples; the framework reports it.
        return tuple(parameter_value(name, item) for item in value)  # type: ignore[misc]
    if isinstance(value, float) and not isfinite(value):
        raise CaseFileError(f"invalid parameter {name}={value}: expected a finite number, or text such as 'inf'")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise CaseFileError(
        f"invalid parameter {name}={value!r} of type {type(value).__name__}: "
        "expected a number, text, a bool, None or a tuple of them"
    )


class LoadedCase(msgspec.Struct, frozen=True):
    """A case and its function; `label` is its name in the file, which an edit may have outdated."""

    function: str
    label: str
    case: Case


class LoadedSuite(msgspec.Struct, frozen=True):
    """A loaded file: its header, and its cases in order."""

    header: Suite
    cases: tuple[LoadedCase, ...]


def load(path: Path) -> LoadedSuite:
    """Loads a file of cases, whose ids are computed from their content. Raises CaseFileError with place and reason."""
    namespace: dict[str, Any] = {"__name__": "autoperf_suite", "__file__": str(path)}
    tree = _parsed(path)
    with _errors_located(path):
        exec(compile(tree, str(path), "exec"), namespace)  # noqa: S102 - a file of cases is Python by design
    header = namespace.get("SUITE")
    if not isinstance(header, Suite):
        raise CaseFileError(f"{path}: has no SUITE = Suite(operator=..., category=...); is it a file of cases?")
    if header.format != FORMAT:
        raise CaseFileError(
            f"{path}: is of format {header.format}; this autoperf reads format {FORMAT}: generate the file again"
        )
    try:
        header = msgspec.convert(msgspec.to_builtins(header), Suite)
    except msgspec.ValidationError as error:
        raise CaseFileError(f"{path}: invalid SUITE: {error}") from error
    cases = []
    for name, function in namespace.items():
        mark = getattr(function, MARK, None)
        if isinstance(mark, CaseMark):
            with _errors_located(path, name):
                cases.append(LoadedCase(name, mark.label, _case(header, mark, function)))
    if not cases:
        raise CaseFileError(f"{path}: has no case; mark a function with @case()")
    return LoadedSuite(header, tuple(cases))


def _parsed(path: Path) -> ast.Module:
    """The file's syntax. Two functions of one name are refused: Python would drop the first silently."""
    try:
        source = read_input(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CaseFileError(f"{path}: invalid Python file: expected UTF-8 text") from None
    try:
        tree = ast.parse(source, str(path))
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        where = f", line {line}" if line else ""
        raise CaseFileError(f"{path}{where}: invalid Python file: {getattr(error, 'msg', error)}") from None
    seen: dict[str, int] = {}
    for node in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        first = seen.setdefault(node.name, node.lineno)
        if first != node.lineno:
            raise CaseFileError(f"{path}, line {node.lineno}: {node.name!r} is defined in line {first} already")
    return tree


@contextmanager
def _errors_located(path: Path, function: str = "") -> Iterator[None]:
    """Turns any exception of a file's code into a CaseFileError with its place."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as raised:  # noqa: BLE001 - also an exit of the file's code
        # A finding's script exits where an import fails.
        error = raised.__context__ if isinstance(raised, SystemExit) and raised.__context__ else raised
        line = innermost_line(error, path)
        place = f"line {line}" if line else f"{function}()" if function else "at its top level"
        text = str(error) if isinstance(error, CaseFileError) else f"{type(error).__name__}: {error}"
        raise CaseFileError(f"{path}, {place}: {text}") from None


def _case(header: Suite, mark: CaseMark, function: Callable[[], object]) -> Case:
    try:
        msgspec.convert(msgspec.to_builtins(mark), CaseMark)
    except (msgspec.ValidationError, TypeError) as error:
        raise CaseFileError(f"invalid @case(...): {error}") from error
    arguments = function()
    if not isinstance(arguments, Mapping):
        raise CaseFileError(f"invalid result {arguments!r}: expected dict(...) of tensors and parameters")
    inputs: list[Input] = []
    params: dict[str, Value] = {}
    graphs: dict[str, Graph] = {}
    for name, value in arguments.items():
        tensors = _tensors(name, value)
        if tensors is not None:
            inputs += tensors
        elif isinstance(value, Graph):
            graphs[name] = value
        else:
            params[name] = parameter_value(name, value)
    if missing := set(mark.in_place) - {item.name for item in inputs}:
        raise CaseFileError(f"invalid in_place {sorted(missing)}: expected names of this case's inputs")
    built = Case(
        operator=header.operator,
        category=mark.category or header.category,
        profile=mark.profile,
        inputs=tuple(inputs),
        params=params,
        in_place=mark.in_place,
        training=mark.training,
        graphs=graphs,
        way=mark.way or ("graph" if graphs else "call"),
    )
    return check_case(built)


def _tensors(name: str, value: object) -> list[Input] | None:
    """The inputs under a name (a list of tensors gives `name[0]`, ...), or None if it is a parameter."""
    if isinstance(value, TensorSpec):
        return [Input(name, value)]
    if not isinstance(value, list | tuple) or not any(isinstance(item, TensorSpec) for item in value):
        return None
    if others := [item for item in value if not isinstance(item, TensorSpec)]:
        raise CaseFileError(f"invalid item {others[0]!r} of {name}: expected tensors alone")
    return [Input(f"{name}[{index}]", item) for index, item in enumerate(value)]
