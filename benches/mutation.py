"""Changes the bytes of files at random, reproducibly by a seed: bits, bytes, values, lines, truncation."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

VALUES = (
    b"null", b"true", b"-1", b"0", b"1e308", b"1e999", b"-0.0", b"9" * 40, b'""', b'"x"', b'"\\ud800"', b'"\\u001b[2J"',
    b"[]", b"{}", b"NaN",
)  # fmt: skip
"""Replacements for a JSON value; most are JSON themselves."""
FRAGMENTS = (
    *VALUES, b"[[[[", b'"float33"', b'"__import__"', b"\xff", b"\0", b"\n", b"\r\n", b"\xef\xbb\xbf",
)  # fmt: skip
_VALUE = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e-?\d+)?|true|false|null')


def mutants(data: bytes, seed: int, count: int) -> Iterator[bytes]:
    """`count` changed copies of the data; the same for the same seed."""
    draw = random.Random(seed)
    return (mutant(data, draw) for _ in range(count))


def mutant(data: bytes, draw: random.Random) -> bytes:
    """A copy of the data with one to three changes."""
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        data = draw.choice(CHANGES)(data, draw)
    return data


def _flip_bit(data: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(data) + 1)
    return data[:place] + bytes(byte ^ (1 << draw.randrange(8)) for byte in data[place : place + 1]) + data[place + 1 :]


def _replace_byte(data: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(data) + 1)
    return data[:place] + bytes([draw.randrange(256)]) + data[place + 1 :]


def _truncate(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _span(data: bytes, draw: random.Random) -> tuple[int, int]:
    begin = draw.randrange(len(data) + 1)
    return begin, min(len(data), begin + draw.choice((1, 1, 4, 30, 1000)))


def _remove(data: bytes, draw: random.Random) -> bytes:
    begin, end = _span(data, draw)
    return data[:begin] + data[end:]


def _repeat(data: bytes, draw: random.Random) -> bytes:
    begin, end = _span(data, draw)
    return data[:end] + data[begin:]


def _randomize(data: bytes, draw: random.Random) -> bytes:
    begin, end = _span(data, draw)
    return data[:begin] + draw.randbytes(end - begin) + data[end:]


def _insert(data: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(data) + 1)
    return data[:place] + draw.choice(FRAGMENTS) + data[place:]


def _replace_value(data: bytes, draw: random.Random) -> bytes:
    """Replaces a value or a key, by another of the file or a fixed one, so that most results stay JSON."""
    spans = [match.span() for match in _VALUE.finditer(data)]
    if not spans:
        return _insert(data, draw)
    begin, end = draw.choice(spans)
    replacement = draw.choice((*VALUES, data[slice(*draw.choice(spans))]))
    return data[:begin] + replacement + data[end:]


def _move_line(data: bytes, draw: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    if len(lines) < 2:
        return _truncate(data, draw)
    first, second = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[first], lines[second] = lines[second], draw.choice((lines[first], b"", lines[second], b"\n"))
    return b"".join(lines)


CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _flip_bit,
    _replace_byte,
    _truncate,
    _remove,
    _repeat,
    _randomize,
    _insert,
    _replace_value,
    _replace_value,
    _move_line,
)
