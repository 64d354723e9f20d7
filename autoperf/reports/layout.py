"""How lines are laid out for a terminal: hanging indents, and things taken together by a key."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

from rich.text import Text

from autoperf.reports.units import flow, one_line

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def hanging(head: str, words: Sequence[str], width: int, style: str = "") -> Iterator[Text]:
    """The words behind a head, on as many lines as they need, all of them indented by it."""
    room = max(1, width - len(head))
    for number, line in enumerate(flow(words, room, room)):
        yield Text.assemble(head if number == 0 else " " * len(head), (line, style))


def listed(names: Iterable[str]) -> list[str]:
    """The names once each, with commas between them, as words that a line may be broken between."""
    words = [f"{one_line(name)}," for name in dict.fromkeys(names)]
    return [*words[:-1], *(word.rstrip(",") for word in words[-1:])]


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """The items by key, in the order in which the keys first come."""
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups
