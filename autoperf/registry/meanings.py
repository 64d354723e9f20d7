"""What a function of MXNet's Python front end leads to, where its name alone tells the wrong operator or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from autoperf.core.errors import UsageError


@dataclass(frozen=True)
class Means:
    """A function that calls this operator: registered names, of which a release has the first that it registers.

    `given` says for which inputs, `otherwise` what it calls for others; empty where it calls nothing else.
    """

    names: tuple[str, ...]
    given: str = ""
    otherwise: str = ""

    def note(self, path: str, name: str) -> str:
        """What to tell the user who wrote the function's path, and is given the operator of this name."""
        chosen = f"{path} means {name}" + (f" for {self.given}" if self.given else "")
        return f"{chosen}; {self.otherwise}" if self.otherwise else chosen


@dataclass(frozen=True)
class NoOperator:
    """A function that calls several operators, or none: `why` says which, as the rest of a sentence about it."""

    why: str
    calls: tuple[str, ...] = ()

    def error(self, path: str, known: Iterable[str]) -> UsageError:
        """What to say to the user who wrote the function's path; only operators that are known are proposed."""
        here = [name for name in self.calls if name in frozenset(known)]
        advice = f"; choose from {', '.join(here)}" if here else ""
        return UsageError(f"{path} is not an operator: {self.why}{advice}")


Meaning: TypeAlias = Means | NoOperator
# By the path of a function, such as `nd.add`.
Meanings: TypeAlias = Mapping[str, Meaning]
