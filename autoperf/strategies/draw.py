"""The seeded draw loop: one seed gives the same values, and fewer draws are a prefix of more."""

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
    """Draws number `start` to `start + size - 1` of a seed: fewer values if the strategy rejected some.

    Draw number n depends only on the seed and n. Hypothesis starts each run with the simplest value, which is the same
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
            # Its advice on an interrupted test would be written to standard output, among results.
            verbosity=Verbosity.quiet,
        )(given(strategy)(_collector(drawn)))
        try:
            collect()
        except Unsatisfiable:
            return []
        except AssertionError as error:
            # Hypothesis asserts that its engine runs when it handles an interruption, also of the engine's start.
            if isinstance(error.__context__, KeyboardInterrupt):
                raise error.__context__ from None
            raise
    return drawn[1:]


def _collector(drawn: list[T]) -> Callable[[T], None]:
    """A function for `given`, which rejects bound methods of built-in types."""

    def collect(value: T) -> None:
        drawn.append(value)

    return collect
