"""Text of quantities and cases: durations, bytes, counts, shapes, and exact inputs."""

from __future__ import annotations

import contextlib
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from typing import TypeVar

import msgspec

from autoperf.core.case import Case, Input
from autoperf.core.outcome import Outcome, Series
from autoperf.core.tensors import AnyContent, Boxes, Literal_, Pattern, Patterned, Shape, default_content
from autoperf.core.texts import escape, quoted, shortened

NONE = "-"
MAX_PERCENT = 999
USUAL_DTYPE = "float32"
MAX_LABEL = 32
MAX_ITEMS = 12
"""Maximum number of spelled inputs, or nodes of a graph."""

_DURATIONS = (("ns", 1e-3), ("us", 1.0), ("ms", 1e3), ("s", 1e6))
_SMALLEST_MICROSECONDS = 0.1
_BYTES = (("KiB", 1024.0), ("MiB", 1024.0**2), ("GiB", 1024.0**3))
_LARGE = 10_000
_PREFIXES = (("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12))
_BRIEF = 40
_MEMBER = re.compile(r"^(?P<list>.+)\[(?P<index>\d+)\]$")


def duration(microseconds: float | None) -> str:
    """Three significant digits and the unit that suits the size: `0.85 us`, `12.3 us`, `4.56 ms`, `1.20 s`."""
    if microseconds is None:
        return NONE
    if microseconds == 0:
        return "0 us"
    return _in_unit(microseconds, _DURATIONS if abs(microseconds) < _SMALLEST_MICROSECONDS else _DURATIONS[1:])


def quantity(value: float | None, unit: str) -> str:
    """A value in its unit: `us` (microseconds), `bytes`, `share`, or none."""
    if value is None:
        return NONE
    if unit == "us":
        return duration(value)
    if unit == "bytes":
        return size(int(value))
    if unit == "share":
        return percent(value)
    # Four significant digits, or three and a prefix if large: `0.25`, `1234`, `45.6 k`, `7.89 M`.
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    is_large = isinstance(value, float) and _LARGE <= abs(float(text)) < math.inf
    return _in_unit(value, _PREFIXES) if is_large else text


def _in_unit(value: float, units: Sequence[tuple[str, float]], limit: float = 1000) -> str:
    """Three significant digits in the first unit in which they are below the limit, or in the last one."""
    for name, scale in units:
        digits = _three_digits(value / scale)
        text = f"{digits} {name}"
        if abs(float(digits)) < limit:
            break
    return text


def factor(ratio: float) -> str:
    """Three significant digits of a ratio: `4.21`, `12.3`; from 100 on all: `1,234`; below 1 two: `0.95`, `0.042`."""
    if 0 < ratio < 0.0995:
        return f"{ratio:.2g}"
    return f"{ratio:,.0f}" if ratio >= 99.95 else _three_digits(ratio)


def change_words(ratio: float) -> str:
    """A change of a time by a factor: `1.05x slower`, `2.15x faster`."""
    return f"{factor(ratio)}x slower" if ratio > 1 else f"{factor(1 / ratio)}x faster"


def span(seconds: float) -> str:
    """A duration in whole seconds: `8 s`, `1 min 20 s`, `1 h 05 min`."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    if minutes == 0:
        return f"{rest} s"
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def size(nbytes: int | None) -> str:
    """Bytes in binary units, exact below one KiB: `512 B`, `4.00 KiB`, `12.6 MiB`."""
    if nbytes is None:
        return NONE
    return f"{nbytes} B" if abs(nbytes) < 1024 else _in_unit(nbytes, _BYTES, limit=1024)


T = TypeVar("T")


def first_of(items: Sequence[T], most: int, words: Callable[[T], str] = str) -> list[str]:
    """The first `most` of the items in words, and how many more there are: `and 3 more`."""
    more = len(items) - most
    return [*map(words, items[:most]), *([f"and {more} more"] if more > 0 else [])]


def shape(extents: Shape) -> str:
    """A shape as Python spells it: `(10000, 1)`, `(64,)`, `()`."""
    return str(tuple(extents))


def percent(share: float) -> str:
    """A share in percent, with one decimal below one: `0.4%`, `12%`, `1400%`."""
    return f"{100 * share:.1f}%" if abs(share) < 0.0095 else f"{100 * share:.0f}%"


def tail(series: Series | None) -> float | None:
    """The distance of the 90th percentile above the median, as a share of the median."""
    return None if series is None or series.median <= 0 else series.p90 / series.median - 1


def spread(series: Series | None) -> str:
    """`tail` in percent: `+12%`; `>999%` beyond that."""
    return plus_minus(tail(series), "+")


def reach(series: Series | None) -> float | None:
    """The distance of the median to the farther end of its 95% interval, as a share of the median."""
    if series is None or series.low is None or series.high is None or series.median <= 0:
        return None
    return max(series.high / series.median - 1, 1 - series.low / series.median)


def within(series: Series | None) -> str:
    """`reach` in percent: `±0.4%`, `±12%`, `±210%`; `>999%` beyond that."""
    return plus_minus(reach(series))


def plus_minus(share: float | None, sign: str = "±") -> str:
    """The reach of an interval in percent, as `within` spells it."""
    if share is None:
        return NONE
    return f">{MAX_PERCENT}%" if 100 * share > MAX_PERCENT else f"{sign}{percent(share)}"


def one_line(text: str) -> str:
    """The text on one line, with single spaces; unprintable characters are escaped."""
    words = " ".join(text.split())
    return words if words.isprintable() else "".join(sign if sign.isprintable() else escape(sign) for sign in words)


def heading_text(name: str) -> str:
    """A name of a file on one line, as a heading on a terminal."""
    return shortened(one_line(name))


def profile_label(profile: str) -> str:
    """The profile's name for a terminal, where a long one ends in an ellipsis."""
    name = one_line(profile)
    return name if len(name) <= MAX_LABEL else f"{name[: MAX_LABEL - 1]}…"


def describe_inputs(case: Case | Outcome) -> str:
    """The inputs' names, shapes, and other properties that are not the default: `lhs (1024, 1024), rhs (1024, 1)`."""
    return ", ".join(_input_items(case.inputs))


def brief_inputs(inputs: str, profile: str) -> str:
    """A text for few words: the inputs if they are short, else their parameters, else the profile."""
    _, _, params = inputs.partition("; ")
    return next((text for text in (inputs, params) if 0 < len(text) < _BRIEF), profile)


def describe_params(case: Case | Outcome) -> str:
    """The parameters: `axis=-1, keepdims=True`."""
    return ", ".join(_param_items(case))


def describe_case(case: Case | Outcome) -> str:
    """Inputs and parameters, exact and compact: `data (32, 32); axis=-1`.

    float32 is left out; another dtype that all inputs share is stated once (`all int8`). Contents are stated where the
    user gave others than the rule's: `data (2048,) integers(0, 2)`. Members of a list with one
    shape are taken together: `data[0..7] 8 x (32, 32)`.
    """
    return " ".join(case_words(case))


def case_words(case: Case | Outcome) -> list[str]:
    """The words of `describe_case` to wrap between, with their commas."""
    inputs, params = _input_items(case.inputs), _param_items(case)
    # An input is one word, unless it is long, as with a content.
    items = ([item] if len(item) <= MAX_LABEL else split_words(item) for item in _with_commas(inputs))
    words = [word for item in items for word in item]
    if words and params:
        words[-1] += ";"
    return words + _with_commas(params)


def split_words(text: str) -> list[str]:
    """The words of a description; text in brackets stays together, so that no shape is broken."""
    words, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == " " and depth <= 0:
            words.append("")
        else:
            words[-1] += letter
    return [word for word in words if word]


_written: ContextVar[Callable[[str], str]] = ContextVar("written", default=str)


@contextlib.contextmanager
def laid_out_for(written: Callable[[str], str]) -> Iterator[None]:
    """Lays out tables by the text that a stream writes, in which signs that its encoding lacks are spelled: `+/-3%`."""
    token = _written.set(written)
    try:
        yield
    finally:
        _written.reset(token)


def width_of(text: str) -> int:
    """The columns of a terminal that a text takes: two for each sign of Chinese, Japanese and Korean."""
    if text.isascii() or (text := _written.get()(text)).isascii():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415 - the command line starts without it

    return cell_len(text)


def padded(text: str, columns: int) -> str:
    """The text with spaces behind it, up to so many columns of a terminal."""
    return text + " " * (columns - width_of(text))


def flow(words: Iterable[str], first: int, rest: int) -> list[str]:
    """Lines of whole words, the first at most `first` wide, the others `rest`; longer words are split or shortened."""
    lines, width = [""], first
    for word in _pieces(map(shortened, words), max(1, rest)):
        joined = f"{lines[-1]} {word}".lstrip()
        if width_of(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(word)
            width = rest
    return lines


def _three_digits(value: float) -> str:
    magnitude = abs(value)
    decimals = 2 if magnitude < 9.995 else 1 if magnitude < 99.95 else 0
    return f"{value:.{decimals}f}"


def _with_commas(items: Sequence[str]) -> list[str]:
    return [*(f"{item}," for item in items[:-1]), *items[-1:]]


def _pieces(words: Iterable[str], width: int) -> Iterator[str]:
    for word in words:
        piece, room = "", width
        for sign in word if width_of(word) > width else ():
            wide = width_of(sign)
            if piece and wide > room:
                yield piece
                piece, room = "", width
            piece, room = piece + sign, room - wide
        yield piece or word


def _input_items(inputs: Sequence[Input]) -> list[str]:
    dtypes = {item.tensor.dtype for item in inputs}
    shared = next(iter(dtypes)) if len(dtypes) == 1 and len(inputs) > 1 else ""
    items, first = [], 0
    for (name, tensor), run in itertools.groupby(_named(inputs, shared), key=lambda named: named[0]):
        indices = [index for _, index in run]
        first = first or len(indices)
        if indices[0] is None:
            items.append(f"{name} {tensor}")
        elif len(indices) == 1:
            items.append(f"{name}[{indices[0]}] {tensor}")
        else:
            items.append(f"{name}[{indices[0]}..{indices[-1]}] {len(indices)} x {tensor}")
    if len(items) > MAX_ITEMS:
        items = [items[0], f"{len(inputs) - first} more inputs"]
    return [*items, f"all {shared}"] if shared not in {"", USUAL_DTYPE} else items


def _named(inputs: Sequence[Input], shared: str) -> Iterator[tuple[tuple[str, str], int | None]]:
    for item in inputs:
        tensor = item.tensor
        dtype = "" if tensor.dtype in {shared, USUAL_DTYPE} else f" {tensor.dtype}"
        storage = "" if tensor.storage == "default" else f" {tensor.storage}"
        density = "" if tensor.density == 1.0 else f" {100 * tensor.density:g}% full"
        content = f" {_content(tensor.content, tensor.dtype)}" if item.own_content is True else ""
        words = f"{shape(tensor.shape)}{dtype}{storage}{density}{content}"
        match = _MEMBER.match(item.name)
        if match is None:
            yield (item.name, words), None
        else:
            yield (match["list"], words), int(match["index"])


_PATTERNS: dict[Pattern, str] = {
    "sorted": "sorted",
    "reversed": "sorted in descending order",
    "constant": "with one value throughout",
    "few": "with four distinct values",
    "zeros": "with {} zeros",
    "zero_rows": "with {} zero rows",
    "subnormal": "subnormal",
    "nan": "with {} NaN",
    "maps": "alike beyond the first two axes",
}


def _content(content: AnyContent, dtype: str) -> str:
    """The content as the command line takes it: `integers(0, 1000)`, a long literal shortened; a pattern in words."""
    if isinstance(content, Patterned):
        drawn_as = content.drawn_as or dtype
        usual = content.content == default_content(drawn_as)
        pattern = _PATTERNS.get(content.pattern, "").format(percent(1 - content.kept))
        source = f"drawn as {content.drawn_as}" if content.drawn_as else ""
        return " ".join(filter(None, ("" if usual else _content(content.content, drawn_as), pattern, source)))
    values = content.values if isinstance(content, Literal_) else msgspec.structs.astuple(content)
    while isinstance(content, Boxes) and values[-1] == ():
        values = values[:-1]
    if len(values) > MAX_ITEMS:
        return f"literal({len(values):,} values)"
    texts = (str(value).lower() if isinstance(value, bool) else _value(value) for value in values)
    return f"{content.__struct_config__.tag}({', '.join(texts)})" if values else str(content.__struct_config__.tag)


def _param_items(case: Case | Outcome) -> list[str]:
    graphs = []
    for name, graph in case.graphs.items():
        is_long = len(graph.nodes) > MAX_ITEMS
        nodes = f"{len(graph.nodes)} nodes" if is_long else "+".join(node.operator for node in graph.nodes)
        graphs.append(f"{name}=graph({nodes})")
    return graphs + [f"{name}={_value(value)}" for name, value in case.params.items()]


def _value(value: object) -> str:
    if isinstance(value, str):
        return value if value and value.isprintable() and " " not in value else quoted(value)
    if isinstance(value, tuple | list):
        return f"({_value(value[0])},)" if len(value) == 1 else f"({', '.join(map(_value, value))})"
    return str(value)
