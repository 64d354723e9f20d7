"""The one seeded draw loop: the same seed gives the same values, and fewer of them are a prefix of more."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from autoperf.strategies.provider import BACKEND, seeded

T = TypeVar("T")
BLOCK = 8


def draw_block(strategy: st.SearchStrategy[T], seed: str, size: int = BLOCK, start: int = 0) -> list[T]:
    """Draws number `start` to `start + size - 1` of a seed: fewer values where the strategy rejected some of them.

    Draw number n depends on the seed and n alone. Hypothesis begins each run with the simplest value; it is the same
    for every seed, so it is dropped.
    """
    drawn: list[T] = []
    with seeded(seed, start):
        collect = settings(
            backend=BACKEND,
            database=None,
            deadline=None,
            phases=(Phase.generate,),
            suppress_health_check=tuple(HealthCheck),
            max_examples=size + 1,
            # Its advice on an interrupted test would go to standard output, into results.
            verbosity=Verbosity.quiet,
        )(given(strategy)(_into(drawn)))
        try:
            collect()
        except Unsatisfiable:
            return []
    return drawn[1:]


def _into(drawn: list[T]) -> Callable[[T], None]:
    """A plain function for `given`, which takes no bound method of a built-in."""

    def collect(value: T) -> None:
        drawn.append(value)

    return collect
