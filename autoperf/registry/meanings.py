"""The operators of MXNet's Python functions whose names don't match their operator."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from autoperf.core.errors import UsageError


class OtherInputs(NamedTuple):
    """The operators that a function calls for the inputs `given`: all of `names` that a release registers."""

    given: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Means:
    """A function that calls one operator: the first of `names` that a release registers.

    `given` states the inputs, `others` the operators for other inputs, and `also` further operators that it calls.
    """

    names: tuple[str, ...]
    given: str = ""
    others: tuple[OtherInputs, ...] = ()
    also: tuple[str, ...] = ()

    def note(self, path: str, name: str, known: Container[str]) -> str:
        """The note for a user who wrote the function's path and gets the operator of this name."""
        chosen = f"{path} means {name}" + (f" for {self.given}" if self.given else "")
        besides = [f"it also calls {' and '.join(names)}"] if (names := _registered(self.also, known)) else []
        others = [
            f"for {other.given} it is {' and '.join(names)}"
            for other in self.others
            if (names := _registered(other.names, known))
        ]
        return "; ".join([chosen, *besides, *([", ".join(others)] if others else [])])

    def unregistered(self, path: str, mxnet: str) -> UsageError:
        """The error for a release that registers none of the operators."""
        return UsageError(
            f"{path} is not an operator: it calls {' or '.join(self.names)}, which MXNet {mxnet} doesn't register"
        )


@dataclass(frozen=True)
class NoOperator:
    """A function that calls several operators or none; `why` says it as a clause, empty if it just calls them all.

    With `unless_registered`, an operator that a release registers by the function's name is the function's operator.
    """

    why: str
    calls: tuple[str, ...] = ()
    unless_registered: bool = False

    def error(self, path: str, known: Container[str]) -> UsageError:
        """The error for a user who wrote the function's path; it proposes known operators."""
        proposals = _registered(self.calls, known)
        why = self.why or f"it calls {' and '.join(proposals)}"
        advice = f"; choose from {', '.join(proposals)}" if proposals else ""
        return UsageError(f"{path} is not an operator: {why}{advice}")


@dataclass(frozen=True)
class BySeries:
    """A function that 1.x and 2.x compute in different ways."""

    series_1: Means | NoOperator
    series_2: Means | NoOperator

    def of(self, mxnet: str) -> Means | NoOperator:
        """The meaning in this version of MXNet."""
        return self.series_1 if mxnet.startswith(("0.", "1.")) else self.series_2


Meaning: TypeAlias = Means | NoOperator
# By the path of a function, such as `nd.add`.
Meanings: TypeAlias = Mapping[str, Meaning | BySeries]


def meaning_of(meaning: Meaning | BySeries, mxnet: str) -> Meaning:
    """The meaning in this version of MXNet."""
    return meaning.of(mxnet) if isinstance(meaning, BySeries) else meaning


def _registered(names: tuple[str, ...], known: Container[str]) -> list[str]:
    return [name for name in names if name in known]
