"""Formulas of an operator's instructions: exact lines through counts over a grid of lengths, path by path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import msgspec
from rich.text import Text

from autoperf.core.outcome import PASSES, PassName
from autoperf.core.work import KERNELS, CodeCount
from autoperf.counts.functions import shortened
from autoperf.hunt.edits import Dimension, dimension_words, dimensions
from autoperf.hunt.instructions import CodeCounter
from autoperf.hunt.point import Point, PointFactory
from autoperf.measurement.messages import CaseFailure
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import hanging
from autoperf.reports.table import Report, Table
from autoperf.reports.units import NONE, describe_case

# The lengths of the grid: vectors of any width divide them, so that no remainder bends a line.
LENGTHS = (32, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
MAX_DIMENSIONS = 3
# A function of less than this share of the kernels doesn't make a path.
MIN_PATH_SHARE = 0.05


class LengthCount(NamedTuple):
    """The count of a pass at a length of a dimension, with the elements of the input."""

    length: int
    elements: float
    code: CodeCount

    @property
    def path(self) -> tuple[str, ...]:
        """The functions of kernels that take part, by name."""
        least = MIN_PATH_SHARE * self.code.kernels
        listed = (each for each in self.code.functions if each.part in KERNELS and each.instructions >= least)
        return tuple(sorted(each.name for each in listed))


class PathFormula(msgspec.Struct, frozen=True, kw_only=True):
    """The instructions of kernels are `constant + slope * length` at all counted `lengths`, to the instruction.

    `begin` and `end` are the lengths of this path as far as they are known: where other functions execute beside it,
    their limit was searched. `slope` is None for a single length, of which `constant` is the count. `elements` are
    those of a unit of length, `functions` those that execute at the largest length.
    """

    pass_: PassName = msgspec.field(name="pass")
    dimension: str
    begin: int
    end: int
    lengths: tuple[int, ...]
    constant: float
    slope: float | None
    elements: float
    functions: tuple[str, ...]

    @property
    def words(self) -> str:
        """`1,204 + 640 n`."""
        return _number(self.constant) if self.slope is None else f"{_number(self.constant)} + {_number(self.slope)} n"

    @property
    def per_element(self) -> float | None:
        """The instructions for each element; None for a single length."""
        return None if self.slope is None else self.slope / self.elements


class Formulas(msgspec.Struct, frozen=True, kw_only=True):
    """The formulas of an operator from one input, of which one dimension at a time has other lengths."""

    operator: str
    inputs: str
    formulas: tuple[PathFormula, ...]
    refused: tuple[str, ...] = ()


def lines(counted: Iterable[LengthCount]) -> list[list[LengthCount]]:
    """The counts by length, divided where they leave a line; two alone are one if they execute the same functions."""
    parts: list[list[LengthCount]] = []
    # The largest come first into a line: a function that starts a call is listed for small inputs alone.
    for each in sorted(counted, reverse=True):
        part = parts[-1] if parts else []
        is_line = len(part) > 1 and _slope(part[-2:]) == _slope([part[-1], each])
        if is_line or (len(part) == 1 and each.path == part[0].path):
            part.append(each)
        else:
            parts.append([each])
    return [part[::-1] for part in reversed(parts)]


def path_formulas(
    pass_: PassName, dimension: str, counted: Sequence[LengthCount], count: Callable[[int], LengthCount | None]
) -> list[PathFormula]:
    """The formula of each path of a pass; `count` counts further lengths, between two paths of other functions."""
    parts = lines(counted)
    begins = [limit(before[-1], after[0], count) for before, after in pairwise(parts)]
    firsts = [begin or part[0].length for begin, part in zip((None, *begins), parts, strict=True)]
    lasts = [begin - 1 if begin else part[-1].length for begin, part in zip((*begins, None), parts, strict=True)]
    slopes = [_slope([part[0], part[-1]]) if len(part) > 1 else None for part in parts]
    return [
        PathFormula(
            pass_=pass_,
            dimension=dimension,
            begin=begin,
            end=end,
            lengths=tuple(each.length for each in part),
            constant=float(part[0].code.kernels - (slope or 0) * part[0].length),
            slope=None if slope is None else float(slope),
            elements=part[0].elements / part[0].length,
            functions=part[-1].path,
        )
        for part, begin, end, slope in zip(parts, firsts, lasts, slopes, strict=True)
    ]


def limit(low: LengthCount, high: LengthCount, count: Callable[[int], LengthCount | None]) -> int | None:
    """The first length with the functions of `high`, by bisection; None where `low` has them, or a third path is."""
    if low.path == high.path:
        return None
    while high.length - low.length > 1:
        middle = count((low.length + high.length) // 2)
        if middle is None or middle.path not in (low.path, high.path):
            return None
        low, high = (middle, high) if middle.path == low.path else (low, middle)
    return high.length


def _slope(pair: Sequence[LengthCount]) -> Fraction:
    first, last = pair
    return Fraction(last.code.kernels - first.code.kernels, last.length - first.length)


def formulas_of(factory: PointFactory, counter: CodeCounter) -> Formulas:
    """The formulas of an operator from the first canonical input of its rule."""
    base = factory.canonical(factory.rule.dtype)[0]
    parts = [_along(factory, counter, base, dimension) for dimension in dimensions(base.call)[:MAX_DIMENSIONS]]
    return Formulas(
        operator=factory.operator.name,
        inputs=describe_case(base.case),
        formulas=tuple(each for formulas, _ in parts for each in formulas),
        refused=tuple(dict.fromkeys(reason for _, refused in parts for reason in refused)),
    )


def _along(
    factory: PointFactory, counter: CodeCounter, base: Point, dimension: Dimension
) -> tuple[list[PathFormula], list[str]]:
    """The formulas for other lengths of a dimension, and the reasons why some lengths have no counts."""
    words = dimension_words(dimension)
    found: list[PathFormula] = []
    invalid: list[int] = []
    failed: list[str] = []

    def counts(length: int) -> dict[PassName, LengthCount]:
        point = factory.first(base.resized(dimension, length))
        if point is None:
            invalid.append(length)
            return {}
        counted = counter.counts(point.case, 0)
        if isinstance(counted, CaseFailure):
            failed.append(f"{describe_case(point.case)}: {counted.reason}")
            return {}
        return {pass_: LengthCount(length, point.work.elements, code) for pass_, code in counted.items()}

    def count(pass_: PassName, length: int) -> LengthCount | None:
        return counts(length).get(pass_)

    listed = list(map(counts, LENGTHS))
    for pass_ in PASSES:
        if sizes := [each[pass_] for each in listed if pass_ in each]:
            found += path_formulas(pass_, words, sizes, partial(count, pass_))
    return found, [*([f"no input has {words} {', '.join(map(str, invalid))}"] if invalid else []), *failed]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.3f}"


_COLUMNS: tuple[Column[PathFormula], ...] = (
    fact("pass", lambda row: row.pass_, place=Place.LEAD),
    fact("dimension", lambda row: row.dimension, place=Place.LEAD),
    fact("lengths", lambda row: " to ".join(f"{each:,}" for each in sorted({row.begin, row.end})), place=Place.LEAD),
    Column("counts", "counts", lambda row: len(row.lengths), place=Place.FIGURE),
    fact("instructions", lambda row: row.words, place=Place.FIGURE),
    Column(
        "per element", "per element", lambda row: row.per_element,
        lambda row: NONE if row.per_element is None else _number(row.per_element), place=Place.FIGURE,
    ),
)  # fmt: skip


def formulas_reports(found: Sequence[Formulas]) -> list[Report]:
    """A table for each operator."""

    def below(row: PathFormula, width: int) -> Iterator[Text]:
        names = ", ".join(shortened(name) for name in row.functions)
        return iter(hanging(" " * len(f"  {row.pass_} "), names.split(), width) if names else ())

    tables = [Table(f"{each.operator}, from {each.inputs}", _COLUMNS, each.formulas, below=below) for each in found]
    refused = (reason for each in found for reason in each.refused)
    return [Report(tables=tables, notes=("instructions of the kernels in one call, where n is the length", *refused))]


def formulas_document(found: Sequence[Formulas]) -> dict[str, object]:
    """The JSON document."""
    return {"operators": msgspec.to_builtins(found)}
