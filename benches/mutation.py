"""Changes files as accidents and attackers do: bytes, numbers, words and lines, by a seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

WORDS = (
    b"null", b"true", b"-1", b"0", b"1e308", b"-0.0", b"99999999999999999999", b'""', b'"\\ud800"', b'"\\u001b[2J"',
    b"[]",
    b"{}", b"[[[[", b"NaN", b'"float33"', b'"__import__"', b"\xff", b"\0", b"\n", b"\r\n", b"\xef\xbb\xbf",
)  # fmt: skip
_VALUE = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e-?\d+)?|true|false|null')


def mutants(data: bytes, seed: int, count: int) -> Iterator[bytes]:
    """So many changed copies of the data, each with one to three changes; the same for the same seed."""
    draw = random.Random(seed)
    for _ in range(count):
        changed = data
        for _ in range(draw.choice((1, 1, 1, 2, 3))):
            changed = draw.choice(CHANGES)(changed, draw)
        yield changed


def _flip(data: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(data) + 1)
    return data[:place] + bytes([draw.randrange(256)]) + data[place + 1 :]


def _cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _remove(data: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(data) + 1)
    return data[:place] + data[place + draw.randrange(1, 30) :]


def _insert(data: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(data) + 1)
    return data[:place] + draw.choice(WORDS) + data[place:]


def _value(data: bytes, draw: random.Random) -> bytes:
    """Another word in the place of a value or a key, so that most of these stay JSON."""
    spans = [match.span() for match in _VALUE.finditer(data)]
    if not spans:
        return _insert(data, draw)
    begin, end = draw.choice(spans)
    other = draw.choice((*WORDS[:12], data[slice(*draw.choice(spans))]))
    return data[:begin] + other + data[end:]


def _line(data: bytes, draw: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    if len(lines) < 2:
        return _cut(data, draw)
    first, second = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[first], lines[second] = lines[second], draw.choice((lines[first], b"", lines[second], b"\n"))
    return b"".join(lines)


CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (_flip, _cut, _remove, _insert, _value, _value, _line)
