"""The seeded draw loop over a Hypothesis backend whose draws depend only on a seed."""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, PrimitiveProvider

BACKEND = "autoperf"
_UNBOUNDED = 2**16

_seed: ContextVar[tuple[str, int]] = ContextVar("seed", default=("", 0))
_number: ContextVar[int | None] = ContextVar("number", default=None)
"""The number of the present draw; None for the simplest value, which Hypothesis makes itself."""


@contextlib.contextmanager
def seeded(seed: str, start: int = 0) -> Iterator[None]:
    """Registers the backend; draws in the block begin with number `start` of `seed`."""
    AVAILABLE_PROVIDERS.setdefault(BACKEND, f"{__name__}.{SeededProvider.__name__}")
    token = _seed.set((seed, start))
    try:
        yield
    finally:
        _seed.reset(token)


class SeededProvider(PrimitiveProvider):
    """A backend that takes each primitive draw from its own generator, reseeded for each test case."""

    lifetime = "test_function"

    def __init__(self, conjecturedata: Any, /) -> None:
        super().__init__(conjecturedata)
        self._seed, self._drawn = _seed.get()
        self._random = random.Random()  # noqa: S311 - reproducible, not secret

    @contextlib.contextmanager
    def per_test_case_context_manager(self) -> Iterator[None]:
        """Reseeds the generator, so that draws are independent of each other."""
        self._random.seed(f"{self._seed}/{self._drawn}")
        token = _number.set(self._drawn)
        self._drawn += 1
        try:
            yield
        finally:
            _number.reset(token)

    def draw_boolean(self, p: float = 0.5) -> bool:
        """True with probability `p`."""
        return self._random.random() < p

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        weights: dict[int, float] | None = None,
        shrink_towards: int = 0,
    ) -> int:
        """Uniform between the bounds (an open one is 65,536 away), but for `weights`: probabilities of some values."""
        share = self._random.random() if weights else 1.0
        for value, probability in (weights or {}).items():
            share -= probability
            if share < 0:
                return value
        low = min_value if min_value is not None else min(max_value or 0, shrink_towards) - _UNBOUNDED
        high = max_value if max_value is not None else max(low, shrink_towards) + _UNBOUNDED
        return self._random.randint(low, high)

    def draw_float(
        self,
        *,
        min_value: float = -math.inf,
        max_value: float = math.inf,
        allow_nan: bool = True,  # noqa: ARG002 - Hypothesis's signature; a benchmark wants no NaN
        smallest_nonzero_magnitude: float,
    ) -> float:
        """Uniform between the bounds; an open bound is at 65,536."""
        value = self._random.uniform(max(min_value, -_UNBOUNDED), min(max_value, _UNBOUNDED))
        if abs(value) >= smallest_nonzero_magnitude:
            return value
        return min(max(0.0, min_value), max_value)

    def draw_string(self, intervals: Any, *, min_size: int = 0, max_size: int = 16) -> str:
        """Characters drawn uniformly from `intervals`."""
        size = self._random.randint(min_size, min(max_size, min_size + 16))
        return "".join(chr(intervals[self._random.randrange(len(intervals))]) for _ in range(size))

    def draw_bytes(self, min_size: int = 0, max_size: int = 16) -> bytes:
        """Bytes drawn uniformly."""
        return self._random.randbytes(self._random.randint(min_size, min(max_size, min_size + 16)))


T = TypeVar("T")


def draw_block(strategy: st.SearchStrategy[T], seed: str, size: int = 8, start: int = 0) -> list[T]:
    """Draws number `start` to `start + size - 1` of a seed: fewer values if the strategy rejected some.

    Draw number n depends only on the seed and n. Hypothesis starts each run with the simplest value, which is the same
    for every seed, and makes further draws in place of rejected ones: both are left out.
    """
    drawn: list[T] = []
    with seeded(seed, start):

        @settings(
            backend=BACKEND,
            database=None,
            deadline=None,
            phases=(Phase.generate,),
            suppress_health_check=tuple(HealthCheck),
            max_examples=size + 1,
            # Its advice on an interrupted test would be written to standard output, among results.
            verbosity=Verbosity.quiet,
        )
        @given(strategy)
        def collect(value: T) -> None:
            if _number.get() in range(start, start + size):
                drawn.append(value)

        try:
            collect()
        except Unsatisfiable:
            return []
        except AssertionError as error:
            # Hypothesis asserts that its engine runs when it handles an interruption, also of the engine's start.
            if isinstance(error.__context__, KeyboardInterrupt):
                raise error.__context__ from None
            raise
    return drawn
