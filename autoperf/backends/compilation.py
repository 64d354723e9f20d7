"""Compilations of a call's passes: how many there were, and how long they took."""

from __future__ import annotations

from typing import NamedTuple

from autoperf.core.outcome import PASSES, PassName


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
