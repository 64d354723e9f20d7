"""Contents of a call's tensors: kept alike over dtypes, and with patterns that no rule draws."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import msgspec

from autoperf.backends.contents import materialise, stretched_limits
from autoperf.cases.build import flat_tensors, with_drafts
from autoperf.core.case import NON_ARGUMENTS, Case, Input
from autoperf.core.tensors import (
    ITEM_SIZE,
    AnyContent,
    Constant,
    Distinct,
    Integers,
    Literal_,
    Mask,
    Normal,
    Pattern,
    Patterned,
    PlainContent,
    TensorSpec,
    Uniform,
    default_content,
    whole_limits,
)
from autoperf.hunt.edits import drafts, is_named, tensor_name
from autoperf.hunt.point import Point
from autoperf.rules.rule import Draft, Inputs
from autoperf.rules.table import TAKES_NAN

# Share of the elements that aren't zero or NaN in a pattern.
KEPT = 0.1
# The range of the contents of small numbers.
SMALL = 100
# A tensor of fewer elements has no patterns.
MIN_ELEMENTS = 16
# A tensor of more elements isn't constant by chance.
MAX_BY_CHANCE = 64
# Of more rows (or elements of CSR) than these, a draw stores about as many as the density says.
MAX_COUNTED = 2**12
# A dtype tells a tensor's numbers apart if it has this many times as many as the tensor has elements.
MIN_LEVELS = 10
WORDS: dict[str, tuple[str, str]] = {
    "sorted": ("sorted {}", "shuffled {} of the same distribution"),
    "reversed": ("reversed {}", "shuffled {} of the same distribution"),
    "constant": ("constant {}", "{} of many distinct values"),
    "few": ("{} of few distinct values", "{} of many distinct values"),
    "zeros": ("{} of many zeros", "{} of few zeros"),
    "zero_rows": ("{} of many zero rows", "{} of few zero rows"),
    "subnormal": ("subnormal {}", "normal {} of the same signs"),
    "nan": ("{} of many NaN", "{} without NaN"),
}
"""The words of each pattern, and of a tensor without it."""


def pattern_of(content: AnyContent | None) -> Pattern:
    """The pattern of a content; empty without one."""
    return content.pattern if isinstance(content, Patterned) else ""


def patterns_of(call: Inputs) -> dict[str, Pattern]:
    """The pattern of each tensor that has one, by the tensor's name."""
    found = {tensor_name(name, number): pattern_of(draft.content) for name, number, draft in drafts(call)}
    return {name: pattern for name, pattern in found.items() if pattern}


def possible_patterns(draft: Draft, operator: str, dtype: str) -> tuple[Pattern, ...]:
    """The patterns that a tensor may have: each of its numbers stays one that its rule draws, or zero, tiny or NaN.

    None for contents whose numbers depend on each other, and for sparse tensors.
    """
    content, dtype = _parts(draft, dtype)[0], draft.dtype or dtype
    is_dense = draft.storage == "default" and dtype != "bool" and math.prod(draft.shape) >= MIN_ELEMENTS
    if not is_dense or not isinstance(content, Uniform | Normal | Integers):
        return ()
    low, high = (content.low, content.high) if isinstance(content, Uniform | Integers) else (-math.inf, math.inf)
    has_zero, is_signed = low <= 0 < high, low < 0 < high and "float" in dtype
    further = {"zeros": has_zero, "subnormal": is_signed, "nan": is_signed and operator in TAKES_NAN}
    named: tuple[Pattern, ...] = ("sorted", "reversed", "constant", "few", "zeros", "subnormal", "nan")
    return tuple(pattern for pattern in named if further.get(pattern, True))


def with_pattern(call: Inputs, name: str, pattern: Pattern, dtype: str) -> Inputs:
    """The call with another pattern of one tensor; an empty pattern takes it away."""
    return with_drafts(
        call, lambda each, draft: _with(draft, dtype, pattern=pattern) if is_named(each, name) else draft
    )


def patterned_calls(point: Point, names: tuple[str, ...] = ()) -> Iterator[tuple[str, Pattern, Inputs]]:
    """The call with each possible pattern of each tensor that has none, or of these tensors."""
    for name, number, draft in drafts(point.call):
        label, now = tensor_name(name, number), pattern_of(draft.content)
        patterns = possible_patterns(draft, point.case.operator, point.dtype) if name not in NON_ARGUMENTS else ()
        for pattern in patterns:
            if pattern != now and (label in names if names else not now):
                yield label, pattern, with_pattern(point.call, label, pattern, point.dtype)


def differ_by_draw(slow: Case, fast: Case) -> bool:
    """Whether a tensor without a pattern is constant in one case alone: a step to the other changes contents too."""
    # The draw of a few numbers may make it so, or the range of indices into a dimension of one.
    return any(
        pattern_of(item.tensor.content) == pattern_of(other.tensor.content)
        and len({_is_constant(slow, item), _is_constant(fast, other)} - {None}) > 1
        for item, other in _common_inputs(slow, fast)
    )


def drawn_share(slow: Case, fast: Case) -> float:
    """What the contents of the fast case ask for, as a share of the slow one's, at most 1: the minimum over tensors."""
    # Each draw gives sequences other lengths, and a sparse tensor other elements or rows.
    amounts = ((_amount(slow, item), _amount(fast, other)) for item, other in _common_inputs(slow, fast))
    return min((1.0, *(of_fast / of_slow for of_slow, of_fast in amounts if of_slow and of_fast is not None)))


def _common_inputs(slow: Case, fast: Case) -> Iterator[tuple[Input, Input]]:
    others = {item.name: item for item in fast.inputs}
    return ((item, others[item.name]) for item in slow.inputs if item.name in others)


def _amount(case: Case, item: Input) -> float | None:
    """The mean length of sequences as a share of their dimension, or what a sparse tensor stores; None for others."""
    tensor, elements = item.tensor, math.prod(item.tensor.shape)
    if tensor.storage != "default":
        draws = elements if tensor.storage == "csr" else tensor.shape[0]
        return _stored_share(tensor, case.digest, item.name) if draws <= MAX_COUNTED else tensor.density
    content = tensor.content
    if "length" not in item.name or not isinstance(content, Integers) or elements == 0:
        return None
    longest = content.high - 1
    dimension = min((size for size in case.inputs[0].tensor.shape if size >= longest), default=longest)
    if elements > MAX_BY_CHANCE:
        return (content.low + longest) / 2 / max(dimension, 1)
    return float(materialise(tensor, case.digest, item.name).mean()) / max(dimension, 1)


@lru_cache(maxsize=1024)
def _stored_share(tensor: TensorSpec, digest: str, name: str) -> float:
    """The share of a sparse tensor's elements, or of its rows, that its draw stores."""
    is_stored = materialise(tensor, digest, name) != 0
    stored = is_stored if tensor.storage == "csr" else is_stored.reshape(len(is_stored), -1).any(axis=1)
    return float(stored.mean())


def _is_constant(case: Case, item: Input) -> bool | None:
    """Whether all numbers of a tensor are equal; None for one whose numbers are no draw of several."""
    content, elements = item.tensor.content, math.prod(item.tensor.shape)
    if elements <= 1 or item.name in NON_ARGUMENTS or isinstance(content, Constant | Literal_):
        return None
    if elements > MAX_BY_CHANCE:
        return pattern_of(content) == "constant" or (isinstance(content, Integers) and content.high - content.low <= 1)
    values = materialise(item.tensor, case.digest, item.name)
    return bool((values == values.flat[0]).all())


def dense(call: Inputs, dtype: str) -> Inputs:
    """The call with dense tensors that have as many zeros as the sparse ones."""

    def filled(_: str, draft: Draft) -> Draft:
        if draft.storage == "default":
            return draft
        pattern: Pattern = "zeros" if draft.storage == "csr" else "zero_rows"
        stored = replace(draft, storage="default", density=1.0)
        return _with(stored, dtype, pattern=pattern, kept=draft.density) if draft.density < 1 else stored

    return with_drafts(call, filled)


def plain(call: Inputs, dtype: str) -> Inputs:
    """The call without patterns, its numbers drawn in their own dtypes."""
    return with_drafts(call, lambda _, draft: _with(draft, dtype, pattern="", drawn_as=""))


def of_dtype(call: Inputs, old: str, new: str) -> Inputs:
    """The call with tensors of dtype `old` in dtype `new`, their contents alike as far as it can hold them.

    Numbers are drawn as in the old dtype. Integers are neither subnormal nor NaN, so these patterns vanish. Other
    tensors, such as indices, keep their dtype.
    """

    def kept(_: str, draft: Draft) -> Draft:
        if draft.dtype not in (None, old):
            return draft
        typed = draft if draft.dtype is None else replace(draft, dtype=new)
        content, drawn_as, pattern = _held_parts(draft, old)
        drawn_as = drawn_as or old
        is_same = _is_same(content, drawn_as, new, math.prod(draft.shape))
        if is_same or not (_is_held(content, drawn_as, new) or content == default_content(drawn_as)):
            drawn_as = ""
        known = draft.content
        held = msgspec.structs.replace(known, content=content) if isinstance(known, Patterned) else known or content
        given = _holding(typed, held)
        lasting: Pattern = "" if "float" not in new and pattern in ("subnormal", "nan") else pattern
        return _with(given, new, pattern=lasting, drawn_as="" if drawn_as == new else drawn_as)

    return with_drafts(call, kept)


def loss(point: Point, new: str) -> str:
    """The reason why contents can't be alike in another dtype; empty if they are."""
    old = point.dtype
    listed = [(draft, math.prod(draft.shape)) for _, _, draft in drafts(point.call) if draft.dtype in (None, old)]
    for draft, elements in listed:
        content, drawn_as, _ = _held_parts(draft, old)
        if _is_alike(content, drawn_as or old, new, elements):
            continue
        if "float" in new:
            return "numbers are rounded to fewer distinct ones" if "float" in old else "large numbers are rounded"
        return "fractions become whole numbers" if "float" in old else "large numbers are cut off"
    given = set(flat_tensors(point.call))
    deduced = (item.tensor for item in point.case.inputs if item.name not in given and item.tensor.dtype == old)
    if ("float" in old) != ("float" in new) and any(tensor.content == default_content(old) for tensor in deduced):
        return "deduced tensors have other contents"
    return ""


def with_numbers_of(call: Inputs, old: str, new: str) -> Inputs:
    """The call of dtype `old` with the numbers that its tensors would have in dtype `new`, if they can't be alike."""

    def rounded(_: str, draft: Draft) -> Draft:
        content, drawn_as, pattern = _held_parts(draft, old)
        if draft.dtype not in (None, old) or _is_alike(content, drawn_as or old, new, math.prod(draft.shape)):
            return draft
        if content == default_content(drawn_as or old) and "float" not in new and new != "bool":
            low, high = stretched_limits(drawn_as or old, new)
            return _with(_holding(draft, Integers(low, high)), old, pattern=pattern)
        return _with(_holding(draft, content), old, pattern=pattern, drawn_as=new)

    return with_drafts(call, rounded)


def _is_alike(content: PlainContent, drawn_as: str, new: str, elements: int) -> bool:
    return _is_held(content, drawn_as, new) or _is_same(content, drawn_as, new, elements)


def _is_held(content: PlainContent, drawn_as: str, new: str) -> bool:
    """Whether a dtype holds every number of a content that is drawn as another dtype."""
    if "float" in drawn_as and not _is_whole(content):
        return "float" in new and ITEM_SIZE[new] >= ITEM_SIZE[drawn_as]
    return _is_within(content, new)


def _is_same(content: PlainContent, drawn_as: str, new: str, elements: int) -> bool:
    """Whether numbers drawn as either dtype are alike: whole ones in both ranges, or enough distinct fractions."""
    if _is_whole(content):
        return _is_within(content, drawn_as) and _is_within(content, new)
    both = drawn_as, new
    return all("float" in each and MIN_LEVELS * elements <= whole_limits(each)[1] for each in both)


def _is_whole(content: PlainContent) -> bool:
    values = content.values if isinstance(content, Literal_) else (getattr(content, "value", math.nan),)
    return isinstance(content, Integers | Distinct | Mask) or all(value % 1 == 0 for value in values)


def _is_within(content: PlainContent, dtype: str) -> bool:
    """Whether a dtype has the least and the largest number of a content, as an integer dtype would have them."""
    # Probabilities, matrices, normal numbers and edges are small; boxes have the size of an image.
    low, high = float(-SMALL), float(SMALL)
    match content:
        case Integers(least, beyond):
            low, high = least, beyond - 1
        case Distinct(beyond):
            low, high = 0, beyond - 1
        case Uniform(least, beyond):
            low, high = math.floor(least), math.ceil(beyond)
        case Constant(value):
            low, high = value, value
        case Literal_(values):
            low, high = min(values), max(values)
        case Mask():
            low, high = 0, 1
    limits = whole_limits(dtype)
    return limits[0] <= low and high <= limits[1]


def _holding(draft: Draft, content: AnyContent) -> Draft:
    """The tensor with a content; another one than before doesn't follow the rule's."""
    before, after = (each.content if isinstance(each, Patterned) else each for each in (draft.content, content))
    return replace(draft, content=content, by_rule=draft.by_rule and before == after)


def _parts(draft: Draft, dtype: str) -> tuple[PlainContent, str, Pattern]:
    """The content without its pattern, the dtype as which it is drawn, and the pattern."""
    content = draft.content or default_content(draft.dtype or dtype)
    return (content.content, content.drawn_as, content.pattern) if isinstance(content, Patterned) else (content, "", "")


def _held_parts(draft: Draft, dtype: str) -> tuple[PlainContent, str, Pattern]:
    """As `_parts`, but numbers of which the tensor's own dtype has fewer distinct ones are as if drawn in it."""
    content, drawn_as, pattern = _parts(draft, dtype)
    if "float" not in drawn_as or _is_held(content, drawn_as, dtype):
        return content, drawn_as, pattern
    if "float" in dtype:
        return content, "", pattern
    limits = stretched_limits(drawn_as, dtype)
    is_fewer = content == default_content(drawn_as) and limits[1] - limits[0] < whole_limits(drawn_as)[1]
    return (Integers(*limits), "", pattern) if is_fewer else (content, drawn_as, pattern)


def _with(draft: Draft, dtype: str, **changes: object) -> Draft:
    """The tensor with changes of its pattern; the default content of its dtype is left out."""
    dtype = draft.dtype or dtype
    content = draft.content or default_content(dtype)
    known = content if isinstance(content, Patterned) else Patterned(content, kept=KEPT)
    is_stretched = known.drawn_as and "drawn_as" in changes and not changes["drawn_as"]
    new = msgspec.structs.replace(known, **changes)
    if is_stretched and new.content == default_content(known.drawn_as):
        new = msgspec.structs.replace(new, content=default_content(dtype))
    if new.pattern or new.drawn_as:
        return replace(draft, content=new)
    return replace(draft, content=None if new.content == default_content(dtype) else new.content)
