"""The contract of a rule: its operators, its canonical inputs, how it draws others; and the checks of its data."""

from __future__ import annotations

import enum
import importlib
import math
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, TypeAlias

import msgspec
from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.errors import EngineError, RuleError, UnknownNameError
from autoperf.core.graph import MODES, ExecutionMode, Graph, UserLayer, profile_in_mode
from autoperf.core.operator import Operator, Value
from autoperf.core.options import DEFAULT_ELEMENTS
from autoperf.core.tensors import DTYPES, AnyContent, Shape, Storage
from autoperf.core.texts import escape_controls, is_name
from autoperf.core.work import BackwardWork, Flops, Work, no_arithmetic, work_of
from autoperf.rules.categories import CATEGORIES, MOVING, MOVING_BACK
from autoperf.strategies.shapes import draw_block

ANY_RANK = "..."
FREE = "_"
AT_LEAST = "+"
OUTPUT, EQUAL = "output", "= "
MAX_DIGITS = 18


def invalid_dims(dims: Mapping[str, str]) -> str:
    """The first dimension that isn't written as above; empty if all are."""
    for tensor, text in dims.items():
        if tensor == OUTPUT and text.startswith(EQUAL) and text.removeprefix(EQUAL).isidentifier():
            continue
        for token in text.removeprefix(ANY_RANK).split() or ([] if text == ANY_RANK else [text]):
            factors = token.removesuffix(AT_LEAST).split("*")
            known = (name for factor in factors if not _is_letter(factor) for name in factor.split("|"))
            letters = sum(map(_is_letter, factors))
            if letters > (not token.endswith(AT_LEAST)) or not all(
                part.isidentifier() or part.isdecimal() for part in known
            ):
                return f"{token!r} of {tensor}"
    return ""


def misfit(dims: Mapping[str, str], case: Case) -> str:
    """The first tensors of a case that don't fit each other or its parameters; empty if all fit."""
    whole: tuple[str, Shape] | None = None
    lengths: dict[str, tuple[str, int]] = {}
    for item in case.inputs:
        text, shape = dims.get(item.name.partition("[")[0]), item.tensor.shape
        if text == ANY_RANK:
            whole = whole or (item.name, shape)
            if whole[1] != shape:
                return f"{item.name} has the shape {shape}, and {whole[0]} {whole[1]}"
        elif text:
            problem = _misfit(item.name, text, shape, case.params, lengths)
            if problem:
                return problem
    equal = dims[OUTPUT].removeprefix(EQUAL) if OUTPUT in dims else None
    for shape in (item.tensor.shape for item in case.inputs if item.name == equal and case.outputs):
        made = case.outputs[0].shape
        if math.prod(made) != math.prod(shape):
            return f"{equal} {shape} has {math.prod(shape):,} elements, and the output {made} {math.prod(made):,}"
    return ""


def _misfit(
    tensor: str, text: str, shape: Shape, params: Mapping[str, Value], lengths: dict[str, tuple[str, int]]
) -> str:
    """Why one tensor doesn't fit parameters, or earlier tensors' `lengths` of letters, to which it adds its own."""
    tokens, ending = text.removeprefix(ANY_RANK).split(), shape
    if text.startswith(ANY_RANK):
        ending = shape[-len(tokens) :]
    if len(tokens) != len(ending):
        return f"{tensor} has the shape {shape}, expected ({text})"
    for token, length in zip(tokens, ending, strict=True):
        letter, unit = _parts(token.removesuffix(AT_LEAST), params)
        if token.endswith(AT_LEAST) and length < unit:
            return f"{tensor} ({text}) has a dimension of {length}, expected {unit} or more"
        if unit and not token.endswith(AT_LEAST) and (length % unit or (not letter and length != unit)):
            return f"{tensor} ({text}) has a dimension of {length}, expected {'a multiple of ' if letter else ''}{unit}"
        if unit and letter not in ("", FREE):
            name, expected = lengths.setdefault(letter, (tensor, length // unit))
            if length // unit != expected:
                return f"{letter} of {tensor} ({text}) is {length // unit}, and in {name} it is {expected}"
    return ""


def _parts(token: str, params: Mapping[str, Value]) -> tuple[str, int]:
    """The letter of a dimension, if it has one, and the product of its other factors; 0 if a parameter isn't given."""
    unit = 1
    for factor in token.split("*"):
        if not _is_letter(factor):
            texts = [name if name.isdecimal() else str(params.get(name)) for name in factor.split("|")]
            unit *= next((int(text) for text in texts if text.isdecimal() and len(text) <= MAX_DIGITS and int(text)), 0)
    return "".join(filter(_is_letter, token.split("*"))), unit


def _is_letter(factor: str) -> bool:
    return factor == FREE or (len(factor) == 1 and factor.isalpha())


MAX_PROFILE = 100


def check_names(source: str, names: object) -> None:
    """Raises RuleError unless `names` is a tuple of names that an operator could have."""
    if not isinstance(names, tuple):
        raise RuleError(f"{source}: invalid operators {names!r}: expected a tuple of names")
    for name in names:
        if not isinstance(name, str):
            raise RuleError(f"{source}: invalid operator {name!r} of type {type(name).__name__}: expected a name")
        if not is_name(name):
            raise RuleError(f"{source}: invalid operator {name!r}: expected a name of letters, digits and underscores")


def check_dtypes(source: str, dtypes: object) -> None:
    """Raises RuleError unless `dtypes` is a tuple, UnknownNameError for an unknown dtype."""
    if not isinstance(dtypes, tuple):
        raise RuleError(f"{source}: invalid dtypes {dtypes!r}: expected a tuple")
    for dtype in dtypes:
        if dtype not in DTYPES:
            raise UnknownNameError(f"dtype in {source}", str(dtype), DTYPES)


def check_profile(source: str, profile: object) -> None:
    """Raises RuleError for a profile whose name is empty, too long or not printable."""
    if not isinstance(profile, str):
        raise RuleError(f"{source}: invalid profile {profile!r} of type {type(profile).__name__}: expected a name")
    plain = escape_controls(profile) == profile and "\n" not in profile and "\t" not in profile
    if not plain or not profile.strip() or len(profile) > MAX_PROFILE:
        raise RuleError(
            f"{source}: invalid profile {profile!r}: expected a name of 1 to {MAX_PROFILE} printable characters"
        )


def check_contents(source: str, contents: object) -> dict[str, AnyContent]:
    """The contents by names of tensors. Raises RuleError for other values."""
    try:
        return msgspec.convert(msgspec.to_builtins(contents), dict[str, AnyContent])
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        raise RuleError(f"{source}: invalid contents: {error}") from error


PROFILES = ("small", "common", "large", "skewed")
DRAWN = "drawn"
CANONICAL = "canonical"
"""Stands for all canonical inputs of a rule."""


class Tier(enum.Enum):
    """The specificity of a rule: for one operator, for several, or for all of a signature."""

    EXACT = "exact"
    FAMILY = "family"
    INFERRED = "inferred"


class Reason(enum.Enum):
    """The reasons why an operator can't be measured on a CPU."""

    GPU_ONLY = "only a GPU kernel is registered"
    NO_KERNEL = "no kernel is registered"
    FRONT_END_POINTER = "holds a pointer that only a front end can make"
    CORRUPTS = "its kernel corrupts the process, whatever the inputs"


@dataclass(frozen=True)
class InputSpec:
    """An input specification: the operator, the dtype of its data, and the largest tensor in elements."""

    operator: Operator
    dtype: str = "float32"
    elements: int = DEFAULT_ELEMENTS

    @property
    def name(self) -> str:
        """The operator's canonical name."""
        return self.operator.name


@dataclass(frozen=True)
class Draft:
    """A tensor before resolution. None means the specification's dtype, or the contents that the rule states.

    `by_rule` says that the content is the one that the rule states, or a pattern of it: it follows changes of the call.
    """

    shape: Shape
    dtype: str | None = None
    content: AnyContent | None = None
    storage: Storage = "default"
    density: float = 1.0
    by_rule: bool = False


@dataclass(frozen=True)
class Inputs:
    """Tensors and parameters of one call; tensors that inference can deduce are left out.

    `in_place` names the tensors that the operator writes, in the order of its outputs; one called `out` is not an
    input. `training` selects the mode. `graphs` and `way`: see Case. `places` has the lines of user code that
    made the nodes of a graph, by name.
    """

    tensors: Mapping[str, Draft | tuple[Draft, ...]]
    params: Mapping[str, Value] = field(default_factory=dict)
    in_place: tuple[str, ...] = ()
    training: bool = True
    graphs: Mapping[str, Graph] = field(default_factory=dict)
    way: ExecutionMode = "call"
    places: Mapping[str, str] = field(default_factory=dict)

    def writing(self, *names: str) -> Inputs:
        """The call with these tensors passed as the operator's outputs."""
        return replace(self, in_place=names)

    def inference(self) -> Inputs:
        """The call in inference mode."""
        return replace(self, training=False)

    def in_a_graph(self) -> Inputs:
        """The call in a graph of its own, for operators that can't be called imperatively."""
        return replace(self, way="graph")

    def by_the_executor(self) -> Inputs:
        """The call by the executor of 1.x, for the one operator that it runs itself."""
        return replace(self, way="executor")

    def compiled(self, *, thread_safe: bool = False) -> Inputs:
        """The call's graph, compiled, with the parameters as its flags."""
        return replace(self, way="thread_safe" if thread_safe else "compiled")


def in_each_mode(profile: str, call: Inputs) -> Mapping[str, Inputs]:
    """The call of a composite in each mode, by profile: `common:static`; a call of an operator alone is itself."""
    if call.way != "eager":
        return {profile: call}
    return {
        profile_in_mode(profile, name): replace(call, way=mode.way, params=mode.flags) for name, mode in MODES.items()
    }


def tensor(
    *shape: int,
    dtype: str | None = None,
    content: AnyContent | None = None,
    storage: Storage = "default",
    density: float = 1.0,
) -> Draft:
    """A tensor of this shape: `tensor(32, 3, 224, 224)`."""
    return Draft(shape, dtype, content, storage, density)


def inputs(**arguments: Draft | list[Draft] | tuple[Draft, ...] | Graph | Value) -> Inputs:
    """One call as the operator's documentation writes it: drafts are tensors, lists of drafts variadic ones."""
    tensors = {
        name: tuple(each) if isinstance(each, list) else each
        for name, each in arguments.items()
        if isinstance(each, Draft | list)
    }
    graphs = {name: each for name, each in arguments.items() if isinstance(each, Graph)}
    params: Any = {name: each for name, each in arguments.items() if not isinstance(each, Draft | list | Graph)}
    return Inputs(tensors, params, graphs=graphs, way="graph" if graphs else "call")


Canonical: TypeAlias = Callable[[InputSpec], Mapping[str, Inputs]]
DrawFunction: TypeAlias = Callable[[st.DrawFn, InputSpec], Inputs]
Matcher: TypeAlias = Callable[[Operator], bool]
Contents: TypeAlias = Callable[[Case], Mapping[str, AnyContent]]
"""What the tensors of a case hold, by their names; a list's name stands for all members that have no entry."""
Unsafe: TypeAlias = Callable[[Case], str]
"""Why a case that inference accepts would corrupt memory; empty if it wouldn't."""
States: TypeAlias = Callable[[Case], tuple[str, ...]]
"""The names of the tensors that an operator updates beside its outputs."""
Completion: TypeAlias = Callable[[Inputs, InputSpec], Inputs]
"""The call with the dtypes, storages and outputs in place that follow from its tensors."""


@dataclass(frozen=True, kw_only=True)
class RuleFacts:
    """The optional facts of a rule that a row of a table may state too; `Rule` explains them."""

    dtype: str = "float32"
    inferable: bool = True
    dtypes: tuple[str, ...] = ()
    flops: Flops | None = None
    backward: BackwardWork | None = None
    moves: Flops | None = None
    unread: tuple[str, ...] = ()
    states: States | None = None
    dims: Mapping[str, str] = field(default_factory=dict)
    varied: Mapping[str, str] = field(default_factory=dict)
    completion: Completion | None = None


@dataclass(frozen=True)
class Rule(RuleFacts):
    """One rule.

    `dtype` is the natural dtype of operators that don't take float32. `contents` states what tensors hold (indices
    within an axis, a positive variance) where it isn't the default: a function of the call, whoever made it.
    `varied` names the tensors of which the rule's own inputs may have other contents too, each with the reason.
    `completion` completes calls that leave out dtypes, storages and outputs in place; without it these are as in
    the canonical inputs. `rank` orders inferred rules: the first that matches is used. `inferable` is false where
    MXNet's symbolic inference refuses valid calls: then the rule gives every tensor, and the dry run decides.
    `dtypes` are the valid dtypes of the data where MXNet doesn't check them and others corrupt memory; empty where
    it checks. `flops` counts the floating-point operations of a completed case, forward; None means about one for
    each element, or none where the category only moves data. `moves` counts the elements that are moved, where the
    sizes don't show it: these are no operations, and only the hunt takes them for the work, but no more are read
    and written of what is updated in place. `unread` names tensors of which only the shape is used, `states` those
    that are updated beside the outputs. `backward` counts the work of its backward pass; None where that isn't
    known. `limits` are known limits of a build on some processors, each by the words with which MXNet refuses such
    a case: a case that fails by them is skipped with this text. `dims` are dimensions of tensors that must agree
    though inference doesn't check it: {"data1": "n c h w", "data2": "n c h w"} (rules/rule.py); `unsafe` says why
    another call that inference accepts would corrupt memory. `layer` is set by the rule of a user's layer of Gluon.
    """

    names: tuple[str, ...]
    category: str
    canonical: Canonical
    draw: DrawFunction
    source: str
    matches: Matcher | None = None
    contents: Contents | None = None
    rank: int = 0
    limits: Mapping[str, str] = field(default_factory=dict)
    layer: UserLayer | None = None
    unsafe: Unsafe | None = None

    def __post_init__(self) -> None:
        source, limits, dims = self.source, self.limits, self.dims
        if not isinstance(self.category, str) or self.category not in CATEGORIES:
            raise RuleError(f"{source}: unknown category {self.category!r}; rules/categories.py lists them")
        check_names(source, self.names)
        check_dtypes(source, (self.dtype,))
        check_dtypes(source, self.dtypes)
        texts = [*limits, *limits.values()] if isinstance(limits, Mapping) else [""]
        if not all(isinstance(text, str) and text.strip() for text in texts):
            raise RuleError(
                f"{source}: invalid limits {limits!r}: expected texts by the words with which MXNet refuses"
            )
        if not isinstance(dims, Mapping) or not all(isinstance(text, str) for text in [*dims, *dims.values()]):
            raise RuleError(f'{source}: invalid dims {dims!r}: expected texts by tensor, as {{"data": "n c h w"}}')
        if problem := invalid_dims(dims):
            raise RuleError(
                f"{source}: invalid dimension {problem}: expected letters, parameters and numbers, as heads*n"
            )

    @property
    def forward_flops(self) -> Flops | None:
        """The operations of the forward pass: by the rule, or none where the operator only moves data."""
        return self.flops or (no_arithmetic if self.category in MOVING else None)

    @property
    def counted(self) -> Flops | None:
        """The work of a forward pass: the elements that it moves, or its operations; None where the sizes say it."""
        return self.moves or self.flops

    def contents_of(self, case: Case) -> Mapping[str, AnyContent]:
        """The contents of the case's tensors by the rule, but for the defaults of their dtypes. Raises EngineError."""
        try:
            return self.contents(case) if self.contents else {}
        except (ArithmeticError, LookupError, TypeError, ValueError, StopIteration) as error:
            raise EngineError(
                f"the rule can't deduce contents from these inputs of {case.operator}: {error}"
            ) from error

    def misfit(self, case: Case) -> str:
        """Why a case would corrupt memory, though MXNet doesn't check it: mostly tensors that don't fit; else empty."""
        return misfit(self.dims, case) or (self.unsafe(case) if self.unsafe else "")

    def forward_work(self, case: Case) -> Work:
        """The work of the forward pass."""
        return work_of(case, self.forward_flops, self.moves, self.unread, self.updated(case))

    def updated(self, case: Case) -> tuple[str, ...]:
        """The tensors that the operator updates beside its outputs."""
        return self.states(case) if self.states else ()

    def backward_work(self, case: Case, gradients: tuple[str, ...]) -> Work | None:
        """The work of the backward pass that writes these gradients; None without a formula."""
        if self.backward is None:
            return None
        work = self.backward(case, gradients)
        moves_only = self.flops is None and self.category in MOVING_BACK
        return msgspec.structs.replace(work, flops=0.0) if moves_only else work

    def strategy(self, spec: InputSpec) -> st.SearchStrategy[Inputs]:
        """The rule's drawing function as a Hypothesis strategy."""

        @st.composite
        def drawn(draw: st.DrawFn) -> Inputs:
            return self.draw(draw, spec)

        return drawn()

    def drawn(self, spec: InputSpec, seed: str, size: int, start: int = 0) -> list[Inputs]:
        """Draws number `start` to `start + size - 1` of a seed, without those that the rule's strategy rejects."""
        return draw_block(self.strategy(spec), seed, size, start)


@dataclass(frozen=True)
class Exclusion:
    """Operators that can't be measured on a CPU: the reason, and one sentence of evidence.

    `since` is the first release to which it applies, even if there is a rule; None: all releases without a rule.
    """

    names: tuple[str, ...]
    reason: Reason
    evidence: str
    since: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        source = f"the exclusion {self.evidence!r}"
        check_names(source, self.names)
        if not isinstance(self.reason, Reason) or not isinstance(self.evidence, str):
            raise RuleError(f"{source}: invalid reason {self.reason!r}: expected one of Reason, and a sentence")


def rule(
    *names: str,
    category: str,
    canonical: Canonical | Mapping[str, Inputs],
    matches: Matcher | None = None,
    dtype: str = "float32",
    contents: Contents | Mapping[str, AnyContent] | None = None,
    rank: int = 0,
    inferable: bool = True,
    dtypes: tuple[str, ...] = (),
    flops: Flops | None = None,
    backward: BackwardWork | None = None,
    limits: Mapping[str, str] | None = None,
    moves: Flops | None = None,
    unread: tuple[str, ...] = (),
    states: States | None = None,
    dims: Mapping[str, str] | None = None,
    varied: Mapping[str, str] | None = None,
    completion: Completion | None = None,
    unsafe: Unsafe | None = None,
) -> Callable[[DrawFunction], Rule]:
    """A decorator that makes a drawing function the rule of these operators (registry names or aliases)."""

    def decorate(draw: DrawFunction) -> Rule:
        source = f"{draw.__module__.removeprefix('autoperf.').replace('.', '/')}.py:{draw.__name__}"
        if not callable(canonical):
            for profile in canonical:
                check_profile(source, profile)
        fixed = canonical if callable(canonical) else lambda _spec: canonical
        return Rule(
            names, category, fixed, draw, source, matches, _stated(source, contents), rank, limits or {}, dtype=dtype,
            inferable=inferable, dtypes=dtypes, flops=flops, backward=backward, moves=moves, unread=unread,
            states=states, dims={} if dims is None else dims, varied=varied or {}, completion=completion, unsafe=unsafe,
        )  # fmt: skip

    return decorate


def _stated(source: str, contents: Contents | Mapping[str, AnyContent] | None) -> Contents | None:
    if contents is None or callable(contents):
        return contents
    constant = check_contents(source, contents)
    return lambda _case: constant


def modules_of(package: ModuleType, without: str = "") -> Iterator[ModuleType]:
    """The modules of a package in the order of their names, but for one."""
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        if info.name != without:
            yield importlib.import_module(f"{package.__name__}.{info.name}")


def top_level(module: ModuleType) -> Iterator[object]:
    """The values at the top level of a module, alone or in tuples and lists."""
    for value in list(vars(module).values()):
        yield from value if isinstance(value, tuple | list) else (value,)
