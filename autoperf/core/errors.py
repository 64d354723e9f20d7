"""The one tree of errors: what went wrong, where, which value, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from autoperf.core.exits import Exit

FEW_NAMES = 80


class AutoperfError(Exception):
    """The root of every error that autoperf raises on purpose; its text is for the user."""

    exit_code: int = Exit.USER_MISTAKE


class UnknownNameError(AutoperfError):
    """A name that the user gave is not known; what it may mean is told, or else the nearest known ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str], candidates: Iterable[str] = ()) -> None:
        self.name = name
        proposed = ", ".join(candidates)
        if proposed:
            super().__init__(f"unknown {kind} {name!r}; it may mean {proposed}")
            return
        names = sorted(set(known))
        near = nearest(name, names)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        if not near and len(names) <= FEW_NAMES:
            hint = f"; known are {', '.join(names)}"
        super().__init__(f"unknown {kind} {name!r}{hint}")


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The known names that are most like this one, at most three, the nearest first."""
    return difflib.get_close_matches(name, sorted(set(known)), n=3, cutoff=0.6)


class RegistryError(AutoperfError):
    """MXNet's registry said something that the crawler does not understand."""


class LibraryError(AutoperfError):
    """MXNet's library can't be found, loaded or used."""


class EngineError(AutoperfError):
    """MXNet refused or failed; the text is the first sentence of its own message."""


class GraphReferenceError(EngineError):
    """A graph refers to an output that its node doesn't have."""


class RuleError(AutoperfError):
    """A rule is wrong: two rules for one name, or inputs that break the contract."""


class UserRuleError(RuleError):
    """A user's own rule raised something, or gave what no rule may give; the text names the rule."""


class SandboxError(UserRuleError):
    """A user's own rule ended its process, crashed it, or didn't come to an end."""


class CaseFileError(AutoperfError):
    """A file of cases or results can't be read: another version, truncated, or broken by hand."""


class OutputError(AutoperfError):
    """Results can't be written where the user asked."""


class ProcessError(AutoperfError):
    """A child process can't be started; the text names the limit that was met."""


class UsageError(AutoperfError):
    """An option has a value that makes no sense."""
