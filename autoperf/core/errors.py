"""The hierarchy of errors, the exit codes, and where in a user's file an exception was raised."""

from __future__ import annotations

import difflib
import os
from collections.abc import Container, Iterable
from enum import IntEnum
from pathlib import Path
from traceback import FrameSummary, extract_tb


class Exit(IntEnum):
    """An exit code."""

    FINE = 0
    FINDING = 1
    USER_MISTAKE = 2
    INCONCLUSIVE = 3
    INTERRUPTED = 130
    """The code after Ctrl-C; `of_signal` has the code of another signal."""


def of_signal(number: int | None) -> int:
    """The exit code of a command that a signal ended, as a shell reports it: 130 for Ctrl-C, 143 for SIGTERM."""
    return Exit.INTERRUPTED if number is None else 128 + number


FEW_NAMES = 80


class AutoperfError(Exception):
    """The base class of all of autoperf's errors; the message is for the user."""

    exit_code: int = Exit.USER_MISTAKE


class UnknownNameError(AutoperfError):
    """A name that the user gave is unknown; the message has candidates, or the nearest known names."""

    def __init__(self, kind: str, name: str, known: Iterable[str], candidates: Iterable[str] = ()) -> None:
        self.name = name
        if proposals := ", ".join(candidates):
            super().__init__(f"unknown {kind} {name!r}; it may mean {proposals}")
            return
        names = sorted(set(known))
        similar = nearest(name, names)
        hint = f"; did you mean {', '.join(similar)}?" if similar else ""
        if names and not similar and len(names) <= FEW_NAMES:
            hint = f"; known are {', '.join(names)}"
        super().__init__(f"unknown {kind} {name!r}{hint}")


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """At most three known names that are similar to this one, nearest first.

    Among names that share the same number of characters in order, those that share more in any order are nearer:
    resnet81 is nearer to resnet18 than resnet50 is.
    """

    def similarity(other: str) -> tuple[float, float, str]:
        matcher = difflib.SequenceMatcher(None, other, name)
        return matcher.ratio(), matcher.quick_ratio(), other

    similar = difflib.get_close_matches(name, known := sorted(set(known)), n=len(known) or 1, cutoff=0.6)
    return sorted(similar, key=similarity, reverse=True)[:3]


class RegistryError(AutoperfError):
    """MXNet's registry has an entry that the crawler can't parse."""


class LibraryError(AutoperfError):
    """MXNet's library can't be found, loaded or used."""


class EngineError(AutoperfError):
    """MXNet raised an error; the text is the first sentence of its message, `node` the node of a graph, if known."""

    def __init__(self, message: str = "", node: str = "") -> None:
        super().__init__(message)
        self.node = node


class AbsentLayerError(EngineError):
    """A release doesn't have a layer; its case is skipped."""


class GraphReferenceError(EngineError):
    """A graph refers to an output that its node doesn't have."""


class RuleError(AutoperfError):
    """A rule is invalid: two rules for one name, or inputs that break the contract."""


class UserRuleError(RuleError):
    """A user's rule raised an exception, or returned an invalid value; the text names the rule."""


class SandboxError(UserRuleError):
    """A user's rule exited, crashed or timed out in its sandbox."""


class CaseFileError(AutoperfError):
    """A file of cases or results can't be read: wrong version, truncated or malformed."""


class OutputError(AutoperfError):
    """Results can't be written to the user's path."""


class CounterError(AutoperfError):
    """An event of the processor can't be counted; the text says why."""


class ProcessError(AutoperfError):
    """A child process can't be started; the text names the limit."""


class ClusterError(AutoperfError):
    """A cluster can't be reached, or none of its machines can measure."""


class UsageError(AutoperfError):
    """An option has an invalid value."""


def innermost_place(error: BaseException, files: Container[str]) -> FrameSummary | None:
    """The innermost frame of these files in the traceback; None if there is none."""
    return next((frame for frame in reversed(extract_tb(error.__traceback__)) if frame.filename in files), None)


def innermost_line(error: BaseException, file: Path) -> int | None:
    """The innermost line of a file in the traceback, or the line of a syntax error in it; None if there is none."""
    names = (str(file), os.path.abspath(file))  # noqa: PTH100 - as importlib makes it, which Path.absolute() isn't
    if isinstance(error, SyntaxError) and error.filename in names:
        return error.lineno
    place = innermost_place(error, names)
    return place.lineno if place else None
