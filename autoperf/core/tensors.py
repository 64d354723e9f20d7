"""Tensors as values: shape, dtype, storage and content."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import msgspec

from autoperf.core.errors import UnknownNameError, UsageError

Shape: TypeAlias = tuple[int, ...]
Storage: TypeAlias = Literal["default", "csr", "row_sparse"]

ITEM_SIZE = {
    "float64": 8, "int64": 8, "float32": 4, "int32": 4, "float16": 2, "bfloat16": 2,
    "int8": 1, "uint8": 1, "bool": 1,
}  # fmt: skip
DTYPES = tuple(ITEM_SIZE)
_SIGNIFICANT_BITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}


def whole_limits(dtype: str) -> tuple[int, int]:
    """The range in which a dtype represents every whole number exactly."""
    if bits := _SIGNIFICANT_BITS.get(dtype):
        return -(2**bits), 2**bits
    bits = 8 * ITEM_SIZE[dtype]
    if dtype in ("bool", "uint8"):
        return 0, 1 if dtype == "bool" else 2**bits - 1
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


class Content(msgspec.Struct, frozen=True, tag_field="kind"):
    """How a tensor is filled; the case's id seeds the numbers, so they are reproducible."""


class Uniform(Content, frozen=True, tag="uniform"):
    """Uniform on [low, high)."""

    low: float = -1.0
    high: float = 1.0


class Normal(Content, frozen=True, tag="normal"):
    """Normal with the given mean and standard deviation."""

    mean: float = 0.0
    std: float = 1.0


class Integers(Content, frozen=True, tag="integers"):
    """Whole numbers on [low, high), whatever the dtype: indices, labels, lengths."""

    low: int
    high: int


class Constant(Content, frozen=True, tag="constant"):
    """One value everywhere."""

    value: float


class Literal_(Content, frozen=True, tag="literal"):  # noqa: N801 - `Literal` is typing's
    """The given values in row-major order, repeated to fill the tensor."""

    values: tuple[float, ...]


class Distinct(Content, frozen=True, tag="distinct"):
    """Distinct whole numbers on [0, high) along the last axis, ascending if `ordered`."""

    high: int
    ordered: bool = False


class Ascending(Content, frozen=True, tag="ascending"):
    """Uniform on [low, high), sorted along the last axis: bin edges, cumulative sums."""

    low: float = 0.0
    high: float = 1.0


class Probabilities(Content, frozen=True, tag="probabilities"):
    """Positive values that sum to one along the last axis."""


class Mask(Content, frozen=True, tag="mask"):
    """One with probability `density`, else zero."""

    density: float = 0.5


class Matrices(Content, frozen=True, tag="matrices"):
    """Square matrices in the last two axes with the property that an algorithm needs.

    `positive_definite`: symmetric, eigenvalues in [1, 3]; `symmetric`: real eigenvalues in [-1, 1];
    `dominant`: diagonally dominant, so never singular; `lower` and `upper`: triangular, unit-size diagonal.
    """

    form: Literal["positive_definite", "symmetric", "dominant", "lower", "upper"]


class Boxes(Content, frozen=True, tag="boxes"):
    """Boxes (x1, y1, x2, y2) with x1 < x2 <= width and y1 < y2 <= height in four columns.

    The columns before them are filled by `lead`, those after them by `tail`: one inclusive-exclusive range of whole
    numbers for each column (batch index, class id), or (0, 1) for a score drawn uniformly.
    """

    width: float = 1.0
    height: float = 1.0
    lead: tuple[tuple[int, int], ...] = ()
    tail: tuple[tuple[int, int], ...] = ()


PlainContent: TypeAlias = (
    Uniform | Normal | Integers | Constant | Literal_ | Distinct | Ascending | Probabilities | Mask | Matrices | Boxes
)
Pattern: TypeAlias = Literal[
    "", "sorted", "reversed", "constant", "few", "zeros", "zero_rows", "subnormal", "nan", "maps"
]  # fmt: skip
PATTERNS: tuple[Pattern, ...] = get_args(Pattern)


class Patterned(Content, frozen=True, tag="patterned"):
    """Another content with a pattern, in row-major order; with `drawn_as`, its numbers are drawn as in that dtype.

    `sorted` and `reversed`: all numbers ascending or descending; `constant`: their median everywhere; `few`: four of
    their quantiles at random; `zeros` and `zero_rows`: zero except for the share `kept` of the elements or rows;
    `subnormal`: floating-point numbers below the smallest normal one, of the same signs; `nan`: NaN except for the
    share `kept`; `maps`: floating-point numbers that differ little beyond the first two axes, as within the maps of a
    deep network. An empty pattern leaves the numbers as they are. Numbers on [-1, 1) drawn as a floating dtype are
    stretched over the range of an integer dtype, so that about as many of them are distinct.
    """

    content: PlainContent
    pattern: Pattern = ""
    drawn_as: str = ""
    kept: float = 0.5


AnyContent: TypeAlias = PlainContent | Patterned


def default_content(dtype: str) -> AnyContent:
    """A safe content by dtype: uniform on [-1, 1), whole numbers on [0, 10), or random booleans."""
    if dtype == "bool":
        return Mask()
    return Uniform() if "float" in dtype else Integers(0, 10)


def tensor_problem(density: object, content: object) -> str:
    """The error message for a density outside of 0 to 1, or for a content that fills no tensor; empty if both do."""
    problem = _value_problem(density, content) or _range_problem(content)
    if problem or not isinstance(content, Patterned):
        return problem
    base: object = content.content
    if not isinstance(base, PlainContent):
        return f"invalid content {base!r} of a pattern: expected a content without one"
    if content.pattern not in PATTERNS:
        return str(UnknownNameError("pattern", str(content.pattern), PATTERNS[1:]))
    if content.drawn_as and content.drawn_as not in ITEM_SIZE:
        return str(UnknownNameError("dtype", str(content.drawn_as), DTYPES))
    return tensor_problem(1.0, base)


def _value_problem(density: object, content: object) -> str:
    densities = {"density": density}
    if isinstance(content, Mask):
        densities["density of the mask"] = content.density
    if isinstance(content, Patterned):
        densities["share kept by the pattern"] = content.kept
    for name, share in densities.items():
        if not isinstance(share, int | float) or not 0 <= share <= 1:
            return f"invalid {name} {share!r}: expected a share from 0 to 1"
    for name in content.__struct_fields__ if isinstance(content, Content) else ():
        value = getattr(content, name)
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, float) and not math.isfinite(number):
                return f"invalid {name} {number} of the content: expected a finite number"
    if isinstance(content, Literal_) and not content.values:
        return "invalid literal content: expected at least one value"
    return ""


def _range_problem(content: object) -> str:
    if not isinstance(content, Uniform | Ascending | Integers):
        return ""
    low, high = content.low, content.high
    if not all(isinstance(end, int | float) for end in (low, high)):
        return f"invalid range [{low!r}, {high!r}): expected two numbers"
    if low > high:
        return f"invalid range [{low}, {high}): expected low <= high"
    if low == high and isinstance(content, Integers):
        return f"invalid range [{low}, {high}): expected at least one whole number in it"
    if high - low > 2**63 and isinstance(content, Integers):
        return f"invalid range [{low}, {high}): expected at most 2**63 whole numbers in it"
    return ""


def distinct_dtypes(names: Sequence[str]) -> tuple[str, ...]:
    """The dtypes of a user's list. Raises UnknownNameError for an unknown one, UsageError for one that occurs twice."""
    for number, name in enumerate(names):
        if name not in ITEM_SIZE:
            raise UnknownNameError("dtype", name, DTYPES)
        if name in names[:number]:
            raise UsageError(f"invalid dtypes {', '.join(names)}: {name} is given twice")
    return tuple(names)


def _check_dtype(dtype: object) -> None:
    """Raises ValueError with the nearest dtypes; msgspec adds the location in a file."""
    if dtype not in ITEM_SIZE:
        raise ValueError(str(UnknownNameError("dtype", str(dtype), DTYPES)))


class ArrayType(msgspec.Struct, frozen=True):
    """The shape and dtype of an array."""

    shape: Shape
    dtype: str

    def __post_init__(self) -> None:
        """Raises ValueError for an unknown dtype; an empty one is to be inferred."""
        if self.dtype:
            _check_dtype(self.dtype)

    @property
    def elements(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The size of the dense array in bytes."""
        return self.elements * ITEM_SIZE[self.dtype]


class TensorSpec(msgspec.Struct, frozen=True):
    """A concrete input tensor: enough to reproduce its bytes."""

    shape: Shape
    dtype: str
    content: AnyContent
    storage: Storage = "default"
    density: float = 1.0

    def __post_init__(self) -> None:
        _check_dtype(self.dtype)

    @property
    def type(self) -> ArrayType:
        """The tensor's shape and dtype."""
        return ArrayType(self.shape, self.dtype)

    @property
    def nbytes(self) -> int:
        """The size of the dense tensor in bytes."""
        return self.type.nbytes
