"""The operators of MXNet's Python functions whose names don't match their operator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from autoperf.core.errors import UsageError


@dataclass(frozen=True)
class Means:
    """A function that calls one operator: the first of `names` that a release registers.

    `given` says for which inputs, `otherwise` what it calls for others; empty if it calls nothing else.
    """

    names: tuple[str, ...]
    given: str = ""
    otherwise: str = ""

    def note(self, path: str, name: str) -> str:
        """The note for a user who wrote the function's path and gets the operator of this name."""
        chosen = f"{path} means {name}" + (f" for {self.given}" if self.given else "")
        return f"{chosen}; {self.otherwise}" if self.otherwise else chosen


@dataclass(frozen=True)
class NoOperator:
    """A function that calls several operators or none; `why` says which, as a clause."""

    why: str
    calls: tuple[str, ...] = ()

    def error(self, path: str, known: Iterable[str]) -> UsageError:
        """The error for a user who wrote the function's path; it proposes known operators."""
        proposals = [name for name in self.calls if name in frozenset(known)]
        advice = f"; choose from {', '.join(proposals)}" if proposals else ""
        return UsageError(f"{path} is not an operator: {self.why}{advice}")


Meaning: TypeAlias = Means | NoOperator
# By the path of a function, such as `nd.add`.
Meanings: TypeAlias = Mapping[str, Meaning]
