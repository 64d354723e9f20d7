"""What a hunt is asked for, as its log's header keeps it, and what that comes to for its search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from autoperf.core.case import Case
from autoperf.executor.settings import Settings
from autoperf.hunt.replay import Logged
from autoperf.pipeline.selection import Selection


class HuntRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Which operators, how long (`budget` in seconds), what counts as slow (`least`), and how inputs are run."""

    categories: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    seed: int
    budget: float
    least: float
    elements: int
    cases: str | None = None
    timeout: float
    memory_limit: int | None = None
    ctx: str = "cpu"
    rules: tuple[str, ...] = ()
    library: str | None = None

    @property
    def selection(self) -> Selection:
        """Which operators."""
        return Selection(self.categories, self.operators, self.namespaces)

    @property
    def settings(self) -> Settings:
        """How inputs are run."""
        return Settings(processes=1, timeout=self.timeout, memory_limit=self.memory_limit, ctx=self.ctx)


@dataclass(frozen=True)
class HuntOptions:
    """What the search goes by: seconds for all operators, what counts as slow, and how large inputs may be.

    `used` are the seconds of the budget that sessions before this one have used; `recorded` are cases by operator, and
    `logged` is what those sessions had asked for operators that they didn't get done with.
    """

    budget: float
    used: float = 0.0
    seed: int = 0
    least: float = 2.0
    elements: int = 2**18
    settings: Settings = field(default_factory=lambda: Settings(processes=1))
    recorded: Mapping[str, Sequence[Case]] = field(default_factory=dict)
    logged: Mapping[str, Sequence[Logged]] = field(default_factory=dict)
