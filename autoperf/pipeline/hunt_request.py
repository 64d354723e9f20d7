"""The request of a hunt, as stored in its log's header, and the options of its search."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from autoperf.backends.lookup import MXNET, backend_of
from autoperf.cases.handwritten import OwnInputs
from autoperf.core.case import Case
from autoperf.executor.settings import Settings
from autoperf.hunt.timings import Logged
from autoperf.pipeline.hunt_sides import SidesRequest
from autoperf.pipeline.selection import Selection
from autoperf.pipeline.stored_code import StoredSources


class HuntRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Operators, `budget` in seconds, the minimum slowdown `least`, and the settings of the inputs.

    `elements` is the size of the largest draws; None lets the time that they take decide.

    `cases` are files and folders of cases to try first, of which `profiles` selects some; `own` are those of the
    command line. `dtypes` are those to search; empty means all. `library` is the build that is searched; `sides` are
    the two of a hunt between builds or environments.
    """

    categories: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    seed: int
    budget: float
    least: float
    elements: int | None = None
    cases: tuple[str, ...] = ()
    own: OwnInputs = OwnInputs()
    profiles: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    timeout: float
    memory_limit: int | None = None
    ctx: str = "cpu"
    rules: tuple[str, ...] = ()
    library: str | None = None
    sides: SidesRequest | None = None

    def check(self) -> None:
        """Raises UsageError for variables with which MXNet can't start."""
        for variables in ({}, *(self.sides.environments if self.sides else ())):
            backend_of(MXNET).check({**os.environ, **variables})

    @property
    def hints(self) -> tuple[str | None, ...]:
        """The build of each side; None is the default one."""
        return self.sides.hints if self.sides else (self.library,)

    @property
    def sources(self) -> StoredSources:
        """The options by which code can be named."""
        libraries = (self.library,) if self.library else self.sides.libraries if self.sides else ()
        return StoredSources(self.cases, self.rules, libraries, self.sides.environments if self.sides else ())

    @property
    def selection(self) -> Selection:
        """The selected operators."""
        return Selection(self.categories, self.operators, self.namespaces)

    @property
    def settings(self) -> Settings:
        """The settings with which inputs are timed."""
        return Settings(processes=1, timeout=self.timeout, memory_limit=self.memory_limit, ctx=self.ctx)


@dataclass(frozen=True)
class HuntOptions:
    """The options of a search: `budget` in seconds for all operators, minimum slowdown, and maximum size of draws.

    Without `elements` the time that draws take decides. `used` are the seconds of the budget that earlier sessions have
    used; `recorded` has cases by operator, `logged` the timings of those sessions for operators that they left.
    """

    budget: float
    used: float = 0.0
    seed: int = 0
    least: float = 2.0
    elements: int | None = None
    recorded: Mapping[str, Sequence[Case]] = field(default_factory=dict)
    logged: Mapping[str, Sequence[Logged]] = field(default_factory=dict)
