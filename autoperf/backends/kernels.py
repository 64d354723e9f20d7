"""What a framework reports of a call beside its results: kernels in a profiler's trace, and compilations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from autoperf.core.outcome import PASSES, PassName


class Kernel(NamedTuple):
    """One run of one kernel: `start` in microseconds since the epoch, `duration` in whole microseconds."""

    name: str
    start: int
    duration: int


@dataclass(frozen=True)
class KernelRoles:
    """The names of kernels that a framework runs around an operator.

    `helpers` are all of them, `maintenance` those of its engine, `copies` move arrays; `filling` sets a constant, and
    `bulk` stands for several kernels that ran as one. `named`: whether an operator's own kernel usually has its name.
    """

    helpers: frozenset[str] = frozenset()
    maintenance: frozenset[str] = frozenset()
    copies: frozenset[str] = frozenset()
    filling: str = ""
    bulk: str = ""
    named: bool = True


class Compilations(NamedTuple):
    """The compilations of a pass so far: their number, and the microseconds of all."""

    number: int = 0
    us: float = 0.0


NOT_COMPILED = Compilations(), Compilations()


class CompileLog:
    """The compilations of a call by pass, as its framework reports them."""

    def __init__(self) -> None:
        self._passes = dict.fromkeys(PASSES, Compilations())

    def add(self, pass_: PassName, seconds: float, *, count: int) -> None:
        """Adds a part of a compilation, or `count` of them."""
        before = self._passes[pass_]
        self._passes[pass_] = Compilations(before.number + count, before.us + seconds * 1e6)

    def of_passes(self) -> tuple[Compilations, Compilations]:
        """Counts of compilations, forward pass first."""
        forward, backward = self._passes.values()
        return forward, backward


def compiled_again(at_warm_up: Compilations, now: Compilations) -> tuple[int, int]:
    """The compilations after the first one: in the warm-up, and since then."""
    first = max(1, at_warm_up.number)
    return max(0, at_warm_up.number - 1), max(0, now.number - first)
