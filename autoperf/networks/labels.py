"""The names of networks in several files of cases: figures are added up by name, so one name is one network."""

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
    """What a file calls by a network's name: its whole graphs, and how often it makes each call."""

    path: Path
    graphs: set[str] = field(default_factory=set)
    calls: dict[str, int] = field(default_factory=dict)

    def add(self, case: Case, count: int) -> None:
        """Counts a case as one of the network."""
        if case.category == NETWORK:
            self.graphs.add(_graph_digest(case))
        else:
            self.calls[case.digest] = count

    def is_same(self, other: _Meaning) -> bool:
        """Whether both are one network: by the whole, which says more than calls, of which a file may have a part."""
        return self.graphs == other.graphs if self.graphs and other.graphs else self.calls == other.calls


class NetworkLabels:
    """Holds the networks of files of cases against those of the files before."""

    def __init__(self) -> None:
        self._known: dict[str, _Meaning] = {}
        self._latest: dict[str, _Meaning] = {}
        self._calls: dict[str, tuple[Calls, Calls]] = {}

    def add(self, path: Path, case: Case) -> None:
        """Counts a case of a file."""
        if case.calls:
            calls, network_calls = self._calls.get(case.digest, ({}, {}))
            self._calls[case.digest] = calls | case.calls, network_calls | (case.network_calls or {})
        for label, count in (case.calls or {}).items():
            self._latest.setdefault(label, _Meaning(path)).add(case, count)

    def end_file(self) -> None:
        """Ends a file. Raises CaseFileError for a network that has the name of another one in an earlier file."""
        for label, meaning in self._latest.items():
            known = self._known.setdefault(label, meaning)
            if not known.is_same(meaning):
                raise CaseFileError(
                    f"{known.path} and {meaning.path} have different networks of one name, {label!r}, whose times "
                    "would be added up: measure the files one by one, or capture the networks by one `autoperf capture`"
                )
        self._latest = {}

    def with_calls(self, case: Case) -> Case:
        """The case with the calls of the networks of all files, since a run measures it once."""
        if not case.calls:
            return case
        calls, network_calls = self._calls[case.digest]
        return msgspec.structs.replace(case, calls=calls, network_calls=network_calls or msgspec.UNSET)


def _graph_digest(case: Case) -> str:
    """What all ways to run one network have in common."""
    return hashlib.sha256(msgspec.json.encode((case.inputs, case.graphs, case.training))).hexdigest()
