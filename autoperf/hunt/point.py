"""An input of a hunt, which can be edited; its case, completed by inference; and the features that may cost time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from autoperf.backends.contents import differentiable_inputs
from autoperf.cases import build
from autoperf.core.case import Case, Input
from autoperf.core.errors import EngineError, RuleError, SandboxError, UserRuleError
from autoperf.core.finding import Fit
from autoperf.core.operator import Operator, Value
from autoperf.core.tensors import Patterned, Shape, default_content
from autoperf.core.work import Work, work_of
from autoperf.hunt.edits import Dimension, axes_named, dimensions, extent, rank, resized, tensor_name, with_param
from autoperf.registry.calls import Completion
from autoperf.registry.client import RegistryClient
from autoperf.rules.rule import DRAWN, Draft, Inputs, InputSpec, Rule


@dataclass(frozen=True)
class Point:
    """A call, the dtype of its tensors without one, its case, the work of both passes, and the number of its side.

    `backward` is None without a formula for its work. A hunt of one build has only side 0.
    """

    call: Inputs
    dtype: str
    case: Case
    work: Work
    side: int = 0
    backward: Work | None = None

    @cached_property
    def key(self) -> str:
        """The identity of the point: the digest of the case, and the side."""
        return f"{self.case.digest}/{self.side}" if self.side else self.case.digest

    def resized(self, dimension: Dimension, size: int) -> list[TypedCall]:
        """Alternatives of the call with another length of a dimension, as by `edits.resized`."""
        return [(call, self.dtype) for call in resized(self.call, dimension, size)]


TypedCall: TypeAlias = tuple[Inputs, str]
"""A call and its dtype."""


class PointFactory:
    """Makes points of one operator on one side, except for calls that inference refuses or that are too large."""

    def __init__(
        self,
        operator: Operator,
        rule: Rule,
        completer: RegistryClient,
        *,
        elements: int,
        max_bytes: int = 2**30,
        side: int = 0,
    ) -> None:
        self.operator, self.rule, self.side = operator, rule, side
        self._completer, self.elements, self._max_bytes = completer, elements, max_bytes

    def spec(self, dtype: str, elements: int | None = None) -> InputSpec:
        """The input specification for the rule, with the factory's number of elements by default."""
        return InputSpec(self.operator, dtype, elements or self.elements)

    def canonical(self, dtype: str) -> list[Point]:
        """The rule's canonical inputs."""
        calls = self.rule.canonical(self.spec(dtype)).values()
        return [point for point in self.make([(call, dtype) for call in calls], edited=False) if point]

    def drawn(self, dtype: str, seed: str, size: int, start: int, elements: int | None = None) -> list[Point]:
        """The points of draws number `start` to `start + size - 1` of a seed."""
        calls = self.rule.drawn(self.spec(dtype, elements), seed, size, start)
        return [point for point in self.make([(call, dtype) for call in calls]) if point]

    def from_case(self, case: Case) -> Point | str:
        """The point of an existing case, or why it has none: inference, tensors that don't fit, its size."""
        dtypes = [item.tensor.dtype for item in case.inputs]
        dtype = self.rule.dtype if self.rule.dtype in dtypes or not dtypes else dtypes[0]
        try:
            stated = build.stated_contents(case, self.rule)
        except EngineError as error:
            return str(error)

        def marked(name: str, draft: Draft) -> Draft:
            # A content is the rule's if it, or what it is a pattern of, is what the rule states.
            content = draft.content.content if isinstance(draft.content, Patterned) else draft.content
            return replace(draft, by_rule=content is not None and content == stated.get(name))

        call = build.with_drafts(call_of(case, self.operator.variadic_count), marked)
        (made,) = self._made([(call, dtype)], edited=True)
        return made

    def make(self, requests: Sequence[TypedCall], *, edited: bool = True) -> list[Point | None]:
        """A point, or None, for each.

        Raises SandboxError where a user's own formula ends its process, and UserRuleError where it fails on inputs
        that are not `edited`.
        """
        return [made if isinstance(made, Point) else None for made in self._made(requests, edited=edited)]

    def first(self, requests: Sequence[TypedCall]) -> Point | None:
        """The point of the first of these calls that has one."""
        return next((point for point in self.make(requests) if point), None)

    def _made(self, requests: Sequence[TypedCall], *, edited: bool) -> list[Point | str]:
        calls = [build.inference_call(call, self.spec(dtype)) for call, dtype in requests]
        if self.rule.inferable:
            completions = self._completer.complete(calls) if calls else []
        else:
            completions = [Completion(inputs=tuple(call.inputs.items()), dynamic=True) for call in calls]
        pairs = zip(requests, completions, strict=True)
        return [self._point(call, dtype, completion, edited) for (call, dtype), completion in pairs]

    def _point(self, call: Inputs, dtype: str, completion: Completion, edited: bool) -> Point | str:
        if completion.error:
            return f"{self._completer.title} refuses these inputs: {completion.error}"
        if unknown := set(completion.unknown) - set(build.flat_tensors(call)):
            return f"the shape of {min(unknown)} is unknown"
        try:
            case = _with_own_contents(build.resolve(call, self.spec(dtype), self.rule, DRAWN, completion))
            if problem := self._problem(case):
                return problem
            work, backward = works_of(case, self.rule)
            return Point(_with_contents(call, case), dtype, case, work, self.side, backward)
        except SandboxError:
            raise
        except (EngineError, UserRuleError) as error:
            if isinstance(error, UserRuleError) and not edited:
                raise
            return str(error)
        except (ArithmeticError, LookupError, TypeError, ValueError, RuleError) as error:
            # An edited parameter may be outside the formula's domain, such as attention with 0 heads.
            return f"the rule can't count its work: {error}"

    def _problem(self, case: Case) -> str:
        """Why a case that inference accepts can't be hunted; else empty."""
        # A list of tensors may have lost one that the operator writes.
        if lost := set(case.in_place) - {item.name for item in case.inputs}:
            return f"{min(lost)}, which the operator writes, is missing"
        if misfit := self.rule.misfit(case):
            return build.unchecked(misfit, self._completer.title)
        if case.input_bytes + case.output_bytes > self._max_bytes:
            return "its tensors take more memory than a hunt's may"
        return ""


def _with_contents(call: Inputs, case: Case) -> Inputs:
    """The call with what its tensors hold, marked where the rule states it, so that it follows changes of the call."""
    tensors = {item.name: item.tensor for item in case.inputs}

    def filled(name: str, draft: Draft) -> Draft:
        if draft.content and not draft.by_rule:
            return draft
        content = tensors[name].content
        is_default = content == default_content(tensors[name].dtype)
        return replace(draft, content=None if is_default else content, by_rule=not is_default)

    return build.with_drafts(call, filled)


def works_of(case: Case, rule: Rule) -> tuple[Work, Work | None]:
    """The work of both passes by a rule; None for a backward pass without a formula, or not determined by the sizes.

    A backward pass without operations moves as much as the forward pass. Raises what the formula of the forward pass
    raises, and SandboxError.
    """
    forward = work_of(case, rule.counted, rule.moves, rule.unread, rule.updated(case))
    try:
        backward = rule.backward_work(case, differentiable_inputs(case)) if case.has_backward else None
    except SandboxError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError, RuleError):
        return forward, None
    if backward and rule.moves and not backward.flops:
        backward = msgspec.structs.replace(backward, flops=forward.flops)
    return forward, backward


def _with_own_contents(case: Case) -> Case:
    """The case with a mark at contents that a hunt made, so that reports show them."""
    whole = default_content("int64")

    def marked(item: Input) -> Input:
        is_kept = "float" in item.tensor.dtype and item.tensor.content == whole
        is_own = is_kept or isinstance(item.tensor.content, Patterned)
        return msgspec.structs.replace(item, own_content=True) if is_own else item

    return msgspec.structs.replace(case, inputs=tuple(map(marked, case.inputs)))


def call_of(case: Case, counter: str = "") -> Inputs:
    """The call of a case, with every tensor specified; `counter` is the parameter that counts a list's tensors."""
    tensors: dict[str, Draft | tuple[Draft, ...]] = {}
    for item in case.inputs:
        stem, bracket, _ = item.name.partition("[")
        spec = item.tensor
        draft = Draft(spec.shape, spec.dtype, spec.content, spec.storage, spec.density)
        before = tensors.get(stem, ())
        tensors[stem] = (*before, draft) if bracket and isinstance(before, tuple) else draft
    # The counter is inferred from the tensors, unless it has another value, as in a rule for loops.
    listed = sum("[" in item.name for item in case.inputs)
    params = {name: value for name, value in case.params.items() if (name, value) != (counter, listed)}
    return Inputs(tensors, params, case.in_place, case.training, dict(case.graphs), case.way)


@dataclass(frozen=True)
class Length:
    """The length of a dimension; a negative `axis` counts from the back. `owner` is empty for a single tensor."""

    tensor: str
    number: int
    axis: int
    owner: str = ""

    @property
    def words(self) -> str:
        """ "the last dimension of data", "the last dimension but two"."""
        before = {-1: "", -2: " but one", -3: " but two", -4: " but three"}.get(self.axis, f" but {-self.axis - 1}")
        name = f"the last dimension{before}" if self.axis else "the first dimension"
        return f"{name} of {self.owner}" if self.owner else name

    def of(self, point: Point) -> float | None:
        """The length; None where the tensor lacks the dimension."""
        shape = self._shape(point)
        return shape[self.axis] if -len(shape) <= self.axis < len(shape) else None

    def changed(self, point: Point, value: int) -> list[TypedCall]:
        """The input with another length."""
        if self.of(point) is None or value < 1:
            return []
        return point.resized((self.tensor, self.number, self.axis % len(self._shape(point))), value)

    def _shape(self, point: Point) -> Shape:
        given = point.call.tensors.get(self.tensor, ())
        listed = given if isinstance(given, tuple) else (given,)
        return listed[self.number].shape if self.number < len(listed) else ()


@dataclass(frozen=True)
class LengthAlong:
    """The length of the largest tensor along the axis that a parameter selects."""

    parameter: str
    default: int | None = None

    @property
    def words(self) -> str:
        """ "the length along axis"."""
        return f"the length along {self.parameter}"

    def of(self, point: Point) -> float | None:
        """The length; None unless the parameter selects one axis."""
        dimension = self._dimension(point)
        return extent(point.call, dimension) if dimension else None

    def changed(self, point: Point, value: int) -> list[TypedCall]:
        """The input with another length along the axis."""
        dimension = self._dimension(point)
        return point.resized(dimension, value) if dimension and value > 0 else []

    def _dimension(self, point: Point) -> Dimension | None:
        listed = axes_named(point.call, self.parameter, self.default)
        ranked = [each for each in dimensions(point.call) if each[2] == rank(point.call) - 1]
        if len(listed) != 1 or not ranked:
            return None
        name, number, _ = ranked[0]
        return name, number, listed[0]


@dataclass(frozen=True)
class Elements:
    """The number of elements of the largest tensor."""

    words = "the number of elements"

    def of(self, point: Point) -> float | None:
        """The number of elements."""
        return max((math.prod(entry.tensor.shape) for entry in point.case.inputs), default=0)

    def changed(self, point: Point, value: int) -> list[TypedCall]:
        """The input with its longest dimension in proportion."""
        longest = max(dimensions(point.call), key=lambda each: extent(point.call, each), default=None)
        if longest is None:
            return []
        length = math.ceil(value * extent(point.call, longest) / max(self.of(point) or 1, 1))
        return point.resized(longest, max(1, length))


@dataclass(frozen=True)
class Rank:
    """The largest number of dimensions of any tensor."""

    words = "the number of dimensions"

    def of(self, point: Point) -> float | None:
        """The number of dimensions."""
        return rank(point.call)

    def changed(self, point: Point, value: int) -> list[TypedCall]:  # noqa: ARG002 - the protocol's
        """No variants: draws cover other ranks."""
        return []


@dataclass(frozen=True)
class LengthRatio:
    """The ratio of the lengths of two dimensions of a tensor."""

    longer: Length
    shorter: Length

    @property
    def words(self) -> str:
        """ "the last dimension divided by the first dimension"."""
        return f"{self.longer.words} divided by {self.shorter.words}"

    def of(self, point: Point) -> float | None:
        """The ratio; None where the tensor lacks a dimension."""
        longer, shorter = self.longer.of(point), self.shorter.of(point)
        return longer / shorter if longer is not None and shorter else None

    def changed(self, point: Point, value: int) -> list[TypedCall]:
        """The input with a longer dimension."""
        return self.longer.changed(point, round(value * (self.shorter.of(point) or 0)))


@dataclass(frozen=True)
class Number:
    """A numeric parameter, or one entry of a tuple counted from its end; `default` stands in for an absent one."""

    parameter: str
    entry: int | None = None
    default: float | None = None

    @property
    def words(self) -> str:
        """ "k", "reps[-1]"."""
        return self.parameter if self.entry is None else f"{self.parameter}[{self.entry}]"

    def of(self, point: Point) -> float | None:
        """The number; None where the parameter has none."""
        value = point.call.params.get(self.parameter, self.default)
        if self.entry is None:
            return number_of(value)
        if not isinstance(value, tuple) or not -len(value) <= self.entry < len(value):
            return None
        return number_of(value[self.entry])

    def changed(self, point: Point, value: int) -> list[TypedCall]:
        """The input with another value of the parameter or of its entry."""
        if self.entry is None:
            return [(with_param(point.call, self.parameter, value), point.dtype)]
        listed = point.call.params.get(self.parameter)
        if not isinstance(listed, tuple) or not -len(listed) <= self.entry:
            return []
        at = self.entry % len(listed)
        return [(with_param(point.call, self.parameter, (*listed[:at], value, *listed[at + 1 :])), point.dtype)]


Feature: TypeAlias = Length | LengthAlong | Elements | Rank | LengthRatio | Number
"""A number that an input has or lacks, with variants of an input that have another, some of which inference refuses."""


def number_of(value: object) -> float | None:
    """The value of an integer, a float, or a text that spells one; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def same_value(first: object, second: object) -> bool:
    """Whether two values are equal as numbers or as texts, since MXNet states defaults as texts."""
    numbers = number_of(first), number_of(second)
    if None not in numbers:
        return numbers[0] == numbers[1]
    return str(first) == str(second) or {str(first), str(second)} in ({"True", "1"}, {"False", "0"})


def lengths(point: Point) -> list[Length]:
    """Every dimension, counted from the back; the first one also from the front."""
    ranks = Counter(dimension[:2] for dimension in dimensions(point.call))
    features: list[Length] = []
    for (name, number), ndim in ranks.items():
        owner = "" if len(ranks) == 1 else tensor_name(name, number)
        features += [Length(name, number, axis, owner) for axis in (*range(-1, -1 - ndim, -1), 0)]
    return features


def numbers(point: Point, parameter: str, default: float | None) -> Sequence[Number]:
    """The feature of a numeric parameter, or of each entry of a tuple of numbers, at most four."""
    value: Value = point.call.params.get(parameter)
    if number_of(value) is not None:
        return [Number(parameter, None, default)]
    if isinstance(value, tuple) and all(number_of(each) is not None for each in value):
        return [Number(parameter, -1 - back) for back in range(min(len(value), 4))]
    return []


MIN_INPUTS = 16
ROUNDS = 12
# Weight of times above the model; times below it have weight 1 - ABOVE, since the model estimates attainable times.
ABOVE = 0.3
HUBER = 0.3
POOR = 1.6


class Model(msgspec.Struct, frozen=True):
    """Weights of `features` in microseconds, and their fit."""

    weights: tuple[float, ...]
    fit: Fit

    def expected_us(self, point: Point) -> float:
        """The predicted time in microseconds."""
        return float(np.dot(features(point), self.weights))

    def excess(self, point: Point, actual_us: float) -> float:
        """The ratio of the actual time to the predicted one."""
        return actual_us / max(self.expected_us(point), 1e-3)


def features(point: Point) -> NDArray[np.float64]:
    """1 (overhead), bytes, elements, operations, and elements times log2 of the last and of the longest axis."""
    work, shape = point.work, point.case.inputs[0].tensor.shape if point.case.inputs else ()
    # The logarithms model sorting and trees; the axes belong to the first tensor.
    last, longest = np.log2(1 + (shape[-1] if shape else 1)), np.log2(1 + max(shape, default=1))
    bytes_ = work.bytes_in + work.bytes_out
    return np.array([1.0, bytes_, work.elements, work.flops, work.elements * last, work.elements * longest])


def fit_model(points: Sequence[Point], times_us: Sequence[float]) -> Model | None:
    """The model of these times in microseconds; None for fewer than MIN_INPUTS.

    Non-negative least squares (Lawson and Hanson 1974) on relative errors, reweighted: beyond 30% an error counts by
    its size and no longer by its square (Huber 1964), and a time above the model counts less than one below it, as in
    expectile regression (Newey and Powell 1987).
    """
    if len(points) < MIN_INPUTS:
        return None
    design = np.array([features(point) for point in points])
    times = np.maximum(np.asarray(times_us, dtype="float64"), 1e-3)
    relative = design / times[:, None]
    scale = np.maximum(relative.max(0), 1e-30)
    weights = np.ones(len(times))
    solution = np.zeros(design.shape[1])
    for _ in range(ROUNDS):
        root = np.sqrt(weights)
        solution = nnls(relative / scale * root[:, None], root)[0] / scale
        error = 1 - relative @ solution
        weights = np.where(error > 0, ABOVE, 1 - ABOVE) * np.minimum(1.0, HUBER / np.maximum(np.abs(error), 1e-9))
    factors = np.abs(np.log(times / np.maximum(design @ solution, 1e-3)))
    typical = float(np.exp(np.median(factors)))
    return Model(tuple(float(weight) for weight in solution), Fit(typical, len(times), typical > POOR))
