"""Checks the names of networks over several files of cases: figures are summed by name, so each must be unique."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from autoperf.core.case import Calls, Case
from autoperf.core.errors import CaseFileError
from autoperf.core.modes import NETWORK


@dataclass
class _Meaning:
    """The network that a file has under a name: its whole graphs, and the count of each call."""

    path: Path
    graphs: set[str] = field(default_factory=set)
    calls: dict[str, int] = field(default_factory=dict)

    def add(self, case: Case, count: int) -> None:
        """Adds a case of the network."""
        if case.category == NETWORK:
            self.graphs.add(_graph_digest(case))
        else:
            self.calls[case.digest] = count

    def is_same(self, other: _Meaning) -> bool:
        """Whether both are the same network: by the whole if both have it, since a file may have only some calls."""
        return self.graphs == other.graphs if self.graphs and other.graphs else self.calls == other.calls


class NetworkLabels:
    """Compares the networks of each file of cases with earlier files."""

    def __init__(self) -> None:
        self._known: dict[str, _Meaning] = {}
        self._latest: dict[str, _Meaning] = {}
        self._calls: dict[str, tuple[Calls, Calls]] = {}

    def add(self, path: Path, case: Case) -> None:
        """Adds a case of the current file."""
        if case.calls:
            calls, network_calls = self._calls.get(case.digest, ({}, {}))
            self._calls[case.digest] = calls | case.calls, network_calls | (case.network_calls or {})
        for label, count in (case.calls or {}).items():
            self._latest.setdefault(label, _Meaning(path)).add(case, count)

    def end_file(self) -> None:
        """Ends a file. Raises CaseFileError for a network that shares its name with another one in an earlier file."""
        for label, meaning in self._latest.items():
            known = self._known.setdefault(label, meaning)
            if not known.is_same(meaning):
                raise CaseFileError(
                    f"{known.path} and {meaning.path} have different networks with the name {label!r}, whose times "
                    "would be added up: measure each file alone, or capture all networks by one `autoperf capture`"
                )
        self._latest = {}

    def with_calls(self, case: Case) -> Case:
        """The case with its counts in the networks of all files, since a run measures it once."""
        if not case.calls:
            return case
        calls, network_calls = self._calls[case.digest]
        return msgspec.structs.replace(case, calls=calls, network_calls=network_calls or msgspec.UNSET)


def _graph_digest(case: Case) -> str:
    """The digest that all ways of running one network share."""
    return hashlib.sha256(msgspec.json.encode((case.inputs, case.graphs, case.training))).hexdigest()
