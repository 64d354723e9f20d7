"""The one tree of errors: what went wrong, where, which value, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

USER_MISTAKE = 2
FEW_NAMES = 80


class AutoperfError(Exception):
    """The root of every error that autoperf raises on purpose; its text is for the user."""

    exit_code = USER_MISTAKE


class UnknownNameError(AutoperfError):
    """A name that the user gave is not known; what it may mean is told, or else the nearest known ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str], candidates: Iterable[str] = ()) -> None:
        self.name = name
        proposed = ", ".join(candidates)
        if proposed:
            super().__init__(f"unknown {kind} {name!r}; it may mean {proposed}")
            return
        names = sorted(set(known))
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        if not near and len(names) <= FEW_NAMES:
            hint = f"; known are {', '.join(names)}"
        super().__init__(f"unknown {kind} {name!r}{hint}")


class RegistryError(AutoperfError):
    """MXNet's registry said something that the crawler does not understand."""


class LibraryError(AutoperfError):
    """MXNet's library can't be found, loaded or used."""


class EngineError(AutoperfError):
    """MXNet refused or failed; the text is the first sentence of its own message."""


class RuleError(AutoperfError):
    """A rule is wrong: two rules for one name, or inputs that break the contract."""


class CaseFileError(AutoperfError):
    """A file of cases or results can't be read: another version, truncated, or broken by hand."""


class OutputError(AutoperfError):
    """Results can't be written where the user asked."""


class UsageError(AutoperfError):
    """An option has a value that makes no sense."""
