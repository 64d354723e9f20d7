"""Line layout for a terminal: hanging indents, and grouping by a key."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

from rich.text import Text

from autoperf.core.lazy_sequences import Picked
from autoperf.reports.units import flow, one_line

MIN_ROOM = 12
T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def hanging(head: str, words: Sequence[str], width: int, style: str = "") -> Iterator[Text]:
    """The words behind a head, on as many lines as they need, all of them indented by it.

    Where that leaves next to no room for them, they stand below the head.
    """
    if width - len(head) < MIN_ROOM < width:
        if head.strip():
            yield Text(head.rstrip())
        head = " " if head else head
    room = max(1, width - len(head))
    for number, line in enumerate(flow(words, room, room)):
        yield Text.assemble(head if number == 0 else " " * len(head), (line, style))


def beside(head: str, words: Sequence[str], figures: str, left: int) -> Iterator[Text]:
    """The words behind a head within the `left` columns, and figures beside the first line of them."""
    room = max(1, left - len(head) - 1)
    first, *more = flow(words, room, room)
    yield Text(f"{head}{first}".ljust(left) + figures)
    for line in more:
        yield Text(" " * len(head) + line)


def listed(names: Iterable[str]) -> list[str]:
    """The distinct names with commas, as words to wrap between."""
    words = [f"{one_line(name)}," for name in dict.fromkeys(names)]
    return [*words[:-1], *(word.rstrip(",") for word in words[-1:])]


def picked(items: Sequence[T], key: Callable[[T], K]) -> dict[K, Picked[T]]:
    """Like `grouped`, for items that are read on each access."""
    positions: dict[K, array[int]] = {}
    for position, item in enumerate(items):
        positions.setdefault(key(item), array("Q")).append(position)
    return {name: Picked(items, members) for name, members in positions.items()}


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """The items by key, in the order of first occurrence."""
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups
