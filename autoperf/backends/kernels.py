"""Kernels in a profiler's trace, and those that a framework runs around an operator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


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
