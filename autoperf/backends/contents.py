"""Fills tensors from a content and the case's digest, with the same bytes on every machine."""

# ruff: noqa: ARG001 - every content is filled through one signature

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from autoperf.core.case import OUT, Case, Input
from autoperf.core.errors import RuleError
from autoperf.core.tensors import (
    ArrayType,
    Ascending,
    Boxes,
    Constant,
    Distinct,
    Integers,
    Literal_,
    Mask,
    Matrices,
    Normal,
    Patterned,
    Probabilities,
    Shape,
    TensorSpec,
    Uniform,
    default_content,
    tensor_problem,
    whole_limits,
)

Array = np.ndarray[Any, Any]
Random = np.random.Generator
_FLOATS = ("float64", "float32", "float16", "bfloat16")
LARGEST_BFLOAT16 = float(np.array(0x7F7F0000, "uint32").view("float32"))
# The number of elements from which a tensor repeats a block: NumPy would draw them one by one, in eight bytes each.
REPEATED_FROM = 2**31
BLOCK = 2**22
_INDEPENDENT = (Uniform, Normal, Integers, Constant, Mask)
FEW = 4
"""The number of distinct values of the pattern `few`."""
WITHIN_MAPS = 0.1
"""The share of a number of the pattern `maps` that differs within its map."""
_EMPTIEST_SIDE = 0.1
_DIAGONAL = 2.0
_FARTHEST = 40
"""More standard deviations than a normal number is away from its mean."""


def materialise(spec: TensorSpec, digest: str, name: str) -> Array:
    """The array of an input: NumPy's PCG64, seeded by SHA-256 of the case's digest and the input's name.

    The result has the dtype of `spec`, except that bfloat16 comes as float32. A sparse tensor comes as a dense array in
    which the elements (csr) or rows (row_sparse) beyond `density` are zero. Raises RuleError if the content can't
    fill the shape.
    """
    if problem := tensor_problem(spec.density, spec.content):
        raise RuleError(problem)
    random = generator(digest, name)
    shape = _drawn_shape(spec)
    values = fill(spec.content, shape, spec.dtype, random)
    if spec.storage != "default":
        kept_shape = shape if spec.storage == "csr" else shape[:1]
        kept = random.random(kept_shape, dtype="float32") < spec.density
        kept = kept.reshape(kept_shape + (1,) * (values.ndim - kept.ndim))
        thinned = values * kept
        # Zero times NaN is NaN. Other zeros keep the signs of their numbers, so that no tensor changes its bytes.
        values = np.where(~kept & np.isnan(values), 0, thinned) if values.dtype.kind == "f" else thinned
    if shape != spec.shape:
        values = np.resize(values, spec.shape)
    return np.ascontiguousarray(values, dtype=storage_dtype(spec.dtype)).reshape(spec.shape)


def contents_of(case: Case, item: Input, draw: int = 1) -> Array:
    """The array of a case's input; further draws have other numbers of the same properties. Raises RuleError."""
    name = case.counterpart.names.get(item.name, item.name) if case.counterpart else item.name
    return materialise(item.tensor, case.seed if draw == 1 else f"{case.seed}/{draw}", name)


def _drawn_shape(spec: TensorSpec) -> Shape:
    """The shape that is drawn: a block of a huge tensor is repeated, unless the numbers depend on each other."""
    if spec.type.elements < REPEATED_FROM or isinstance(spec.content, Literal_):
        return spec.shape
    first, *others = spec.shape
    if others:
        return (min(first, max(1, BLOCK // max(1, math.prod(others)))), *others)
    return (BLOCK,) if isinstance(spec.content, _INDEPENDENT) else spec.shape


def generator(digest: str, name: str) -> Random:
    """The random generator of one input of one case."""
    seed = hashlib.sha256(f"{digest}/{name}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(seed, "big")))


def storage_dtype(dtype: str) -> str:
    """NumPy's dtype for one of ours; it has no bfloat16."""
    return "float32" if dtype == "bfloat16" else dtype


@functools.singledispatch
def fill(content: object, shape: Shape, dtype: str, random: Random) -> Array:
    """An array of this shape; one implementation for each content."""
    raise RuleError(f"invalid content {content!r} for a tensor of {shape}: expected one of the documented contents")


@fill.register
def _uniform(content: Uniform, shape: Shape, dtype: str, random: Random) -> Array:
    if dtype == "bool":
        return random.random(shape, dtype="float32") < 0.5
    return _spread(content.low, content.high, shape, dtype, random)


@fill.register
def _normal(content: Normal, shape: Shape, dtype: str, random: Random) -> Array:
    work = _working(dtype)
    if dtype == "bool":
        return random.random(shape, dtype="float32") < 0.5
    values = random.standard_normal(shape, dtype=work)
    largest = float(np.finfo(work).max)
    if abs(content.mean) + _FARTHEST * abs(content.std) > largest:
        with np.errstate(over="ignore"):
            values = values.astype("float64") * content.std + content.mean
        return _cast(np.clip(values, -largest, largest), dtype)
    values *= work.type(content.std)
    values += work.type(content.mean)
    return _cast(values, dtype)


@fill.register
def _integers(content: Integers, shape: Shape, dtype: str, random: Random) -> Array:
    low, high = content.low, content.high
    smallest, largest = whole_limits(dtype)
    low, high = max(low, smallest), min(high, largest + 1)
    if low >= high:
        return _cast(np.full(shape, min(max(content.low, smallest), largest)), dtype)
    # Single precision has every whole number below 2**24, and takes half the time.
    precision = np.float32 if high - low <= 2**20 else np.float64
    drawn = np.floor(random.random(shape, dtype=precision) * (high - low))
    values = np.asarray(np.minimum(drawn, high - low - 1))
    return _whole(values.astype("int64") + low, dtype)


@fill.register
def _constant(content: Constant, shape: Shape, dtype: str, random: Random) -> Array:
    return _cast(np.full(shape, content.value, dtype="float64"), dtype)


@fill.register
def _literal(content: Literal_, shape: Shape, dtype: str, random: Random) -> Array:
    return np.resize(_cast(np.asarray(content.values), dtype), shape)


@fill.register
def _distinct(content: Distinct, shape: Shape, dtype: str, random: Random) -> Array:
    """Sorted draws with repetition on [0, high - n] plus 0, 1, 2, ... are n distinct numbers on [0, high)."""
    # A scalar lacks a last axis to work along.
    rows = shape or (1,)
    count = rows[-1]
    largest = whole_limits(dtype)[1]
    if count > content.high or content.high > largest + 1:
        raise RuleError(f"{dtype} {shape} can't hold {count} distinct whole numbers on [0, {content.high})")
    values = np.floor(random.random(rows) * (content.high - count + 1)).astype("int64")
    values.sort(axis=-1)
    values += np.arange(count)
    if not content.ordered:
        values = random.permuted(values, axis=-1)
    return _whole(values.reshape(shape), dtype)


@fill.register
def _ascending(content: Ascending, shape: Shape, dtype: str, random: Random) -> Array:
    return np.sort(_spread(content.low, content.high, shape or (1,), dtype, random), axis=-1).reshape(shape)


@fill.register
def _probabilities(content: Probabilities, shape: Shape, dtype: str, random: Random) -> Array:
    values = random.random(shape or (1,)) + 0.01
    values /= values.sum(axis=-1, keepdims=True)
    return _cast(values.reshape(shape), dtype)


@fill.register
def _mask(content: Mask, shape: Shape, dtype: str, random: Random) -> Array:
    return (random.random(shape, dtype="float32") < content.density).astype(storage_dtype(dtype))


@fill.register
def _matrices(content: Matrices, shape: Shape, dtype: str, random: Random) -> Array:
    """By Gershgorin's circles: rows whose absolute values sum to at most one put every eigenvalue on [-1, 1]."""
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise RuleError(f"matrices need a shape that ends in a square, not {shape}")
    values = random.random(shape) * 2 - 1
    if content.form in ("positive_definite", "symmetric"):
        values += np.swapaxes(values, -1, -2).copy()
    sums = np.abs(values).sum(axis=-1, keepdims=True)
    values /= np.maximum(sums.max(axis=-2, keepdims=True, initial=0.0), 1e-12)
    eye = np.eye(shape[-1])
    if content.form in ("positive_definite", "dominant"):
        values += _DIAGONAL * eye
    elif content.form != "symmetric":
        triangle = np.tril if content.form == "lower" else np.triu
        values = triangle(values) * (1 - eye) + eye
    return _cast(values, dtype)


@fill.register
def _boxes(content: Boxes, shape: Shape, dtype: str, random: Random) -> Array:
    leads, columns = len(content.lead), len(content.lead) + 4 + len(content.tail)
    if not shape or shape[-1] != columns:
        raise RuleError(f"boxes with {columns - 4} other columns need a shape that ends in {columns}, not {shape}")
    values = np.empty(shape)
    whole = dtype not in _FLOATS

    def fill_columns(start: int, ranges: tuple[tuple[int, int], ...]) -> None:
        for column, (low, high) in enumerate(ranges, start):
            score = (low, high) == (0, 1)
            drawn = random.random(shape[:-1]) * (high - low)
            values[..., column] = drawn if score and not whole else low + np.floor(drawn)

    fill_columns(0, content.lead)
    for side, extent in enumerate((content.width, content.height)):
        start = random.random(shape[:-1]) * extent * (1 - _EMPTIEST_SIDE)
        share = _EMPTIEST_SIDE + (1 - _EMPTIEST_SIDE) * random.random(shape[:-1])
        end = start + (extent - start) * share
        values[..., leads + side] = np.floor(start) if whole else start
        values[..., leads + 2 + side] = np.ceil(end) if whole else end
    fill_columns(leads + 4, content.tail)
    return _cast(values, dtype)


@fill.register
def _patterned(content: Patterned, shape: Shape, dtype: str, random: Random) -> Array:
    drawn_as = content.drawn_as or dtype
    values = fill(content.content, shape, drawn_as, random)
    if drawn_as != dtype:
        is_stretched = content.content == default_content(drawn_as) == Uniform() and dtype not in (*_FLOATS, "bool")
        if is_stretched:
            low, beyond = stretched_limits(drawn_as, dtype)
            half = (beyond - low) // 2
            values = _whole(np.floor(values.astype("float64") * half).astype("int64") + half + low, dtype)
        else:
            values = _cast(values, dtype)
    return np.ascontiguousarray(_arranged(content, values, random), dtype=storage_dtype(dtype))


def stretched_limits(drawn_as: str, dtype: str) -> tuple[int, int]:
    """The range of whole numbers over which [-1, 1) is stretched, of at most as many as `drawn_as` tells apart."""
    low, high = whole_limits(dtype)
    half = min(whole_limits(drawn_as)[1] // 2, (high - low + 1) // 2)
    return (0, 2 * half) if low == 0 else (-half, half)


def _arranged(content: Patterned, values: Array, random: Random) -> Array:
    """The numbers in the content's pattern; only floating-point ones are subnormal or NaN."""
    pattern, shape = content.pattern, values.shape
    if pattern in ("sorted", "reversed"):
        ascending = np.sort(values, axis=None)
        return (ascending if pattern == "sorted" else ascending[::-1]).reshape(shape)
    if pattern in ("constant", "few") and values.size:
        parts = 2 if pattern == "constant" else 2 * FEW
        quantiles = np.sort(values, axis=None)[[values.size * part // parts for part in range(1, parts, 2)]]
        return np.asarray(quantiles[random.integers(len(quantiles), size=shape)])
    if pattern in ("zeros", "zero_rows") or (pattern == "nan" and values.dtype.kind == "f"):
        drawn = random.random(shape[:1] if pattern == "zero_rows" else shape, dtype="float32") < content.kept
        kept = drawn.reshape(drawn.shape + (1,) * (values.ndim - drawn.ndim))
        return np.where(kept, values, math.nan if pattern == "nan" else 0)
    if pattern == "subnormal" and values.dtype.kind == "f":
        tiny = np.finfo(values.dtype).smallest_normal
        return np.copysign(tiny * (1 + random.random(shape).astype(values.dtype)) / 4, values)
    if pattern == "maps" and values.dtype.kind == "f":
        first_of_map = (slice(None),) * min(values.ndim, 2) + (slice(1),) * (values.ndim - 2)
        return np.asarray((1 - WITHIN_MAPS) * values[first_of_map] + WITHIN_MAPS * values)
    return values


def _spread(low: float, high: float, shape: Shape, dtype: str, random: Random) -> Array:
    """Uniform on [low, high); rounding never reaches `high` in the dtypes that NumPy has."""
    work = _working(dtype)
    largest = float(np.finfo(work).max)
    low, high = (float(np.clip(end, -largest, largest)) for end in (low, high))
    values = random.random(shape, dtype=work.type)
    if high - low > largest:
        values = work.type(low) * (1 - values) + work.type(high) * values
    else:
        values *= work.type(high - low)
        values += work.type(low)
    if dtype not in _FLOATS:
        return _cast(np.floor(values), dtype)
    result = _cast(values, dtype)
    if high > low:
        top = result.dtype.type(high)
        # As Python floats: NumPy 2 rounds `high` to the dtype before it compares.
        below = top if float(top) < high else np.nextafter(top, result.dtype.type(-math.inf))
        # In place, since the cost of large tensors is touching new pages.
        np.minimum(result, below, out=result)
    return result


def _cast(values: Array, dtype: str) -> Array:
    """Values in a dtype, clipped to its range; whole dtypes round to nearest, bool is true except for zero."""
    target: np.dtype[Any] = np.dtype(storage_dtype(dtype))
    if target.kind == "b":
        return np.asarray(values != 0)
    if target.kind == "f":
        if target.itemsize < values.dtype.itemsize or values.dtype.kind != "f":
            largest = LARGEST_BFLOAT16 if dtype == "bfloat16" else float(np.finfo(target).max)
            values = np.clip(values, -largest, largest)
        return np.asarray(values).astype(target, copy=False)
    info = np.iinfo(target)
    largest = info.max
    if values.dtype.kind == "f":
        # The largest int64 has no float64; clipping to it would overflow in the cast.
        values, largest = np.rint(values.astype("float64", copy=False)), min(info.max, 2**63 - 1024)
    return np.asarray(np.clip(values, info.min, largest)).astype(target)


def _whole(values: Array, dtype: str) -> Array:
    """Whole numbers that already are in the range of the dtype."""
    return np.asarray(values).astype(storage_dtype(dtype))


def _working(dtype: str) -> np.dtype[Any]:
    return np.dtype("float32" if dtype in ("float32", "float16", "bfloat16") else "float64")


def ones(outputs: Sequence[ArrayType]) -> list[Array]:
    """Head gradients of ones for outputs of these types."""
    return [np.ones(each.shape, dtype=storage_dtype(each.dtype)) for each in outputs]


def drawn_heads(outputs: Sequence[ArrayType], digest: str) -> list[Array]:
    """Head gradients that differ between elements, drawn for a case with this digest; zeros for whole outputs."""
    # Ones would hide a wrong gradient where the exact one adds up to nothing, as for softmax. Frameworks don't agree on
    # whether whole numbers have a gradient.
    contents = (default_content(each.dtype) if "float" in each.dtype else Constant(0) for each in outputs)
    specs = [TensorSpec(each.shape, each.dtype, content) for each, content in zip(outputs, contents, strict=True)]
    return [materialise(spec, digest, f"head {number}") for number, spec in enumerate(specs)]


def differentiable_inputs(case: Case) -> tuple[str, ...]:
    """The inputs whose gradients are requested: those of floating dtype.

    Whole numbers in a floating dtype are indices, labels or lengths, for which some operators refuse a gradient. They
    are requested only if there is no other input. An operator that writes its inputs has no gradient.
    """
    if set(case.in_place) - {OUT}:
        return ()
    floating = [item for item in case.arguments if "float" in item.tensor.dtype]
    plain = [each.content if isinstance(each := item.tensor.content, Patterned) else each for item in floating]
    smooth = [item for item, each in zip(floating, plain, strict=True) if not isinstance(each, Integers | Distinct)]
    return tuple(item.name for item in (smooth or floating))
