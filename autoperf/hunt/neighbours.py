"""Neighbours: inputs that differ by one step and do equal work, or slightly less; the neighbourhood of an operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations, permutations, zip_longest

from autoperf.cases.build import with_drafts
from autoperf.core.errors import UserRuleError
from autoperf.core.operator import Form, Operator, Role, Value, is_axis
from autoperf.core.tensors import ITEM_SIZE
from autoperf.hunt import edits
from autoperf.hunt.contents import WORDS, dense, loss, of_dtype, patterned_calls, patterns_of, with_pattern
from autoperf.hunt.edits import dimension_words
from autoperf.hunt.point import Point, PointFactory, same_value
from autoperf.registry.names import without_namespace
from autoperf.rules.categories import RELATED, RelatedOperator
from autoperf.rules.rule import Inputs

SAME_NAME = "the same operation in another namespace"


@dataclass(frozen=True)
class Equivalent:
    """Another operator that computes the same, with its parameters and the reason why its work is equal."""

    factory: PointFactory
    related: RelatedOperator

    @property
    def words(self) -> str:
        """ "topk(k=1)"."""
        listed = ", ".join(f"{name}={value}" for name, value in self.related.params.items())
        return f"{self.factory.operator.name}({listed})" if listed else self.factory.operator.name

    def applied_to(self, point: Point) -> Point | None:
        """The equivalent operator on the same tensors, in order; None where it refuses them or does other work."""
        if any(not same_value(point.call.params.get(name, value), value) for name, value in self.related.where.items()):
            return None
        names = [tensor.name for tensor in self.factory.operator.tensors]
        # Contents stay, whatever the other operator's rule states.
        lasting = with_drafts(point.call, lambda _, draft: replace(draft, by_rule=False))
        drafts = [draft for name, draft in lasting.tensors.items() if name not in self.related.without]
        if len(drafts) > len(names):
            return None
        shared = {name: value for name, value in point.call.params.items() if self.factory.operator.parameter(name)}
        call = replace(
            point.call,
            tensors=dict(zip(names, drafts, strict=False)),
            params={**self.related.defaults, **shared, **self.related.params},
        )
        return _made(self.factory, call, point.dtype)


def _made(factory: PointFactory, call: Inputs, dtype: str) -> Point | None:
    """The call of another operator or side, whose own search reports an error in its rule."""
    with suppress(UserRuleError):
        return factory.first([(call, dtype)])
    return None


def equivalents_of(
    operator: Operator, others: Iterable[Operator], factory_of: Callable[[Operator], PointFactory | None]
) -> Iterator[Equivalent]:
    """The equivalents of an operator: of the same name in another namespace, or named by the rules."""
    name = without_namespace(operator.name)
    named = [related for alias in operator.names for related in RELATED.get(alias, ())]
    for other in others:
        if other.name == operator.name or other.role is not Role.FORWARD:
            continue
        related = next((related for related in named if related.name in other.names), None)
        if related is None and without_namespace(other.name) == name:
            related = RelatedOperator(other.name, SAME_NAME)
        if related and (factory := factory_of(other)):
            if related.reason == SAME_NAME and _is_random(factory) != _is_random(factory_of(operator)):
                # `_npi_gamma` draws from a distribution, and `gamma` is a function.
                continue
            yield Equivalent(factory, related)


def _is_random(factory: PointFactory | None) -> bool:
    return factory is not None and factory.rule.category == "random"


@dataclass(frozen=True)
class OtherSide:
    """The other side of a hunt between two: it runs the same inputs, and is the contrast.

    `words` and `searched_words` name this side and the searched one for a reader. `takes_parameter` tests whether its
    operator has a parameter: MXNet ignores many unknown ones, and would compute something else.
    """

    factory: PointFactory
    takes_parameter: Callable[[str], bool]
    words: str
    searched_words: str

    def applied_to(self, point: Point) -> Point | None:
        """The same call on this side; None where this side refuses it or has other inputs."""
        if not all(map(self.takes_parameter, point.call.params)):
            return None
        same = _made(self.factory, point.call, point.dtype)
        return same if same and same.case.inputs == point.case.inputs else None


DTYPES = ("float32", "float64", "float16", "int32", "int64", "int8", "uint8")
# A dimension this long keeps 90% of its work when it is shortened by one.
LONG = 10
# Other lengths leave parameters unchanged, whose effect on the work is unknown.
_same_job = partial(edits.resized, renumbered=False)

AXES = ("axis", "transposed", "exchanged")
SIZES = ("one less", "one more", "aspect", "exchanged", "filled", "larger", "smaller", "flatter")
THRESHOLDS = ("one less", "one more", "larger", "smaller")
"""Steps across a threshold, beyond which all neighbours may be slow."""
LEFT_OUT = " left out"
CONTENTS = "contents"
DENSE = "dense"
"""Steps from a pattern of a tensor's contents to contents without it."""
EQUIVALENT = "equivalent "
OTHER_SIDE = "other side"
"""The same input on the other side of a hunt between two."""
UNEQUAL = "its contents can't be alike"
"""The words of a step to another dtype whose work may differ with the contents."""


def related_kinds(kind: str) -> tuple[str, ...]:
    """The kinds of steps that show the same cause (axes, sizes, or one parameter), this one first."""
    others = chain.from_iterable(group for group in (AXES, SIZES) if kind in group)
    return tuple(dict.fromkeys((kind, *others)))


def is_equivalent(kind: str) -> bool:
    """Whether a step of this kind leads to another operator."""
    return kind.startswith(EQUIVALENT)


@dataclass(frozen=True)
class Step:
    """An edit of an input: `kind` classifies it, `words` describes it for a reader.

    `calls` are alternatives; the first that inference accepts is used. `dtype` applies to tensors whose dtype the rule
    leaves open. A step to an `equivalent` operator, or to the other side, has no calls. `slow` describes the contents
    that it leaves, and `loss` why the contents of another dtype can't be alike.
    """

    kind: str
    words: str
    calls: tuple[Inputs, ...]
    dtype: str
    equivalent: Equivalent | OtherSide | None = None
    slow: str = ""
    loss: str = ""

    @property
    def sentence(self) -> str:
        """The step in words, of contents too: "sorted data, in place of shuffled data"."""
        return f"{self.slow}, in place of {self.words}" if self.slow else self.words


def in_turn(steps: Sequence[Step], kinds: Iterable[str]) -> list[Step]:
    """The steps of these kinds: the first of each kind, then the second of each, so that a few cover all kinds."""
    groups = ([step for step in steps if step.kind == kind] for kind in kinds)
    return [step for row in zip_longest(*groups) for step in row if step]


def neighbours(point: Point, operator: Operator, dtypes: tuple[str, ...] = DTYPES) -> Iterator[Step]:
    """Every step from a point, the simplest first."""
    call, axes = point.call, range(edits.rank(point.call) - 1)
    is_sparse = any(draft.storage != "default" for _, _, draft in edits.drafts(call))
    merged = ((f"axes {axis} and {axis + 1} made one", edits.merged(call, axis)) for axis in axes)
    for kind, words, calls in (
        *_axes(call, operator),
        *_of_lengths(call, "one more", "one less"),
        *_params(call, operator),
        *_filled(call),
        *_aspects(call),
        *([(DENSE, "dense tensors with as many zeros", [dense(call, point.dtype)])] if is_sparse else []),
        *(("flatter", words, [flatter]) for words, flatter in merged if flatter),
        *_of_lengths(call, "smaller"),
        *_of_lengths(call, "larger"),
    ):
        yield Step(kind, words, tuple(calls), point.dtype)
    # Dtypes of at least half the item size, which can have the patterns of the contents.
    for dtype in dtypes:
        typed, times = of_dtype(call, point.dtype, dtype), ITEM_SIZE[dtype] / ITEM_SIZE.get(point.dtype, 4)
        if dtype != point.dtype and times >= 0.5 and patterns_of(typed) == patterns_of(call):
            lost = loss(point, dtype)
            bytes_ = {0.5: "half the bytes", 1: "as many bytes"}.get(times, f"{times:g} times the bytes")
            words = f"{dtype}: as many elements, {bytes_}" + (f"; {UNEQUAL}: {lost}" if lost else "")
            yield Step("dtype", words, (typed,), dtype, loss=lost)
    for name, pattern in patterns_of(call).items():
        slow, fast = (words.format(name) for words in WORDS[pattern])
        yield Step(CONTENTS, fast, (with_pattern(call, name, "", point.dtype),), point.dtype, slow=slow)


def pattern_steps(point: Point) -> Iterator[Step]:
    """The steps to other patterns of contents, which no contrast is found by: fewer distinct numbers are less work."""
    for name, pattern, call in patterned_calls(point):
        yield Step(CONTENTS, WORDS[pattern][0].format(name), (call,), point.dtype)


def _axes(call: Inputs, operator: Operator) -> Iterator[tuple[str, str, list[Inputs]]]:
    """Another axis; the same axis of transposed tensors; transposed tensors without an axis parameter.

    Axes that another parameter selects, also by default, are left out: exchanging an axis with itself does no work. An
    axis by default would not move with its tensor.
    """
    ndim = edits.rank(call)
    given = edits.axes_given(call)
    for name, listed in given.items():
        excluded = {axis for another, axes in given.items() if another != name for axis in axes}
        excluded |= _by_default(call, operator, ndim)
        for other in range(ndim) if len(listed) == 1 else ():
            if other != listed[0] and other not in excluded:
                yield "axis", f"{name}={other}", [edits.with_axes(call, {name: (other,)})]
    along = {axis for listed in given.values() for axis in listed}
    stays = _by_default(call, operator, ndim) if along else set()
    for first, second in combinations(range(ndim), 2):
        if not stays & {first, second}:
            words = f"axes {first} and {second} exchanged"
            yield "transposed" if along else "exchanged", words, [edits.swapped(call, first, second)]


def _by_default(call: Inputs, operator: Operator, ndim: int) -> set[int]:
    """The default axes of parameters that aren't passed, counted from the front."""
    absent = (each for each in operator.parameters if is_axis(each.name) and each.name not in call.params)
    defaults = (each.default or "" for each in absent)
    return {int(text) % ndim for text in defaults if text.lstrip("-").isdigit() and -ndim <= int(text) < ndim}


def _of_lengths(call: Inputs, *kinds: str) -> Iterator[tuple[str, str, list[Inputs]]]:
    """Other lengths of each dimension; if the time falls to much less than half at half of it, there is a cliff."""
    for dimension in edits.dimensions(call):
        old = edits.extent(call, dimension)
        lengths = {"one more": old + 1, "one less": old - 1, "smaller": old // 2, "larger": 2 * old}
        for kind in kinds:
            if old >= LONG or (old > 1 and kind != "one less"):
                new = lengths[kind]
                yield kind, f"{dimension_words(dimension)} of {new:,}", _same_job(call, dimension, new)


def _params(call: Inputs, operator: Operator) -> Iterator[tuple[str, str, list[Inputs]]]:
    """Other values of each parameter but axes, and its default."""
    for name, value in call.params.items():
        if is_axis(name):
            continue
        yield f"{name}{LEFT_OUT}", f"no {name}", [edits.without(call, name)]
        beside = [value + 1, *([value - 1] if value > 0 else [])] if type(value) is int else []
        for other in other_choices(operator, name, value) or beside:
            yield name, f"{name}={other}", [edits.with_param(call, name, other)]


def other_choices(operator: Operator, name: str, value: Value) -> list[Value]:
    """The other values of a parameter that has few; empty for numbers."""
    known = operator.parameter(name)
    if isinstance(value, str) and known and known.type.form is Form.ENUM:
        return [choice for choice in known.type.choices if choice != value]
    return [not value] if isinstance(value, bool) else []


def _filled(call: Inputs) -> Iterator[tuple[str, str, list[Inputs]]]:
    """Broadcast dimensions at their full size."""
    shapes = {(name, number): draft.shape for name, number, draft in edits.drafts(call)}
    for dimension in edits.dimensions(call):
        if edits.extent(call, dimension) == 1:
            back = dimension[2] - len(shapes[dimension[:2]])
            for size in sorted({shape[back] for shape in shapes.values() if len(shape) >= -back} - {1}):
                yield "filled", f"{dimension_words(dimension)} of {size:,}", edits.resized(call, dimension, size)[:1]


def _aspects(call: Inputs) -> Iterator[tuple[str, str, list[Inputs]]]:
    """Another aspect ratio of equal volume: 2, about the root, or the whole of a length moves to another dimension."""
    for dimension, other in permutations(edits.dimensions(call), 2):
        old, size = edits.extent(call, dimension), edits.extent(call, other)
        if old < 2 or dimension[:2] != other[:2]:
            continue
        root = next((divisor for divisor in range(int(old**0.5), 1, -1) if old % divisor == 0), old)
        for factor in sorted({root, old, 2} if old % 2 == 0 else {root, old}):
            shorter, longer = old // factor, size * factor
            words = f"{dimension_words(dimension)} of {shorter:,} and {dimension_words(other)} of {longer:,}"
            shrunk = _same_job(call, dimension, shorter)
            yield "aspect", words, [grown for each in shrunk for grown in _same_job(each, other, longer)][:4]


# Number of refusals after which a dtype is no longer tried.
MAX_REFUSED = 3
# Maximum elements of a neighbour, as a multiple of the point's and in absolute terms: larger inputs take long.
MAX_GROWTH, MIN_LARGE = 8, 2**16


class Neighbourhood:
    """The steps from inputs of one operator, and the points that they lead to.

    With an `other_side`, a contrast is the same input there; else steps to `equivalents` may show one too.
    """

    def __init__(
        self, factory: PointFactory, equivalents: Sequence[Equivalent] = (), other_side: OtherSide | None = None
    ) -> None:
        self.factory, self.equivalents, self.other_side = factory, equivalents, other_side
        self._refused: Counter[str] = Counter()

    def steps(self, point: Point) -> list[Step]:
        """Every step from a point to inputs of the same operator, also those that can't show a contrast."""
        return [*neighbours(point, self.factory.operator, self.dtypes), *pattern_steps(point)]

    def contrast_steps(self, point: Point) -> list[Step]:
        """Every step from a point that may show a contrast, without steps to equivalent operators."""
        if self.other_side:
            words = f"the same input on {self.other_side.words}"
            return [Step(OTHER_SIDE, words, (), point.dtype, self.other_side)]
        return list(neighbours(point, self.factory.operator, self.dtypes))

    def all_steps(self, point: Point) -> list[Step]:
        """Every step from a point that may show a contrast, with steps to equivalent operators."""
        return [*self.contrast_steps(point), *self.equivalent_steps(point)]

    def equivalent_steps(self, point: Point) -> list[Step]:
        """The steps from a point to equivalent operators."""
        named = ((each, f"{EQUIVALENT}{each.factory.operator.name}") for each in self.equivalents)
        return [Step(kind, f"{each.words}: {each.related.reason}", (), point.dtype, each) for each, kind in named]

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The dtypes to try, without those that the operator has refused repeatedly and never accepted."""
        known = self.factory.rule.dtypes or DTYPES
        return tuple(dtype for dtype in known if self._refused[dtype] < MAX_REFUSED)

    def neighbour_points(self, point: Point, steps: Sequence[Step]) -> list[tuple[Step, Point]]:
        """Each step that inference accepts, with the point that it leads to."""
        calls = [(call, step.dtype) for step in steps for call in step.calls]
        points = iter(self.factory.make(calls))
        most = max(MIN_LARGE, MAX_GROWTH * point.work.elements)
        reached: list[tuple[Step, Point]] = []
        for step in steps:
            made = [step.equivalent.applied_to(point)] if step.equivalent else [next(points) for _ in step.calls]
            fitting = (each for each in made if each and each.key != point.key and each.work.elements <= most)
            if neighbour := next(fitting, None):
                reached.append((step, neighbour))
        return reached

    def note(self, dtype: str, *, runs: bool) -> None:
        """Counts an input in another dtype that runs or is refused."""
        self._refused[dtype] += -(10**6) if runs else 1
