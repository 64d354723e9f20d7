"""The folder of a hunt: findings as JSON and as a case file, and the log; written event by event."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from autoperf.backends.user_code import EXTENSIONS_VARIABLE
from autoperf.cases.store import VERSION, CasesHeader, write_cases
from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.events import Event, OperatorStarted
from autoperf.core.files import Closable, atomic_path, write_atomic
from autoperf.core.finding import Finding, Searched, cases_of
from autoperf.core.hunt_events import (
    Answer,
    FindingConfirmed,
    HuntFinished,
    Logged,
    LoggedEvent,
    OfOperator,
    OperatorSearched,
)
from autoperf.hunt.registry_causes import ranking
from autoperf.hunt.stored import CASES, JSON, FindingKey, Hunted, finding_key, replay_command
from autoperf.runs.huntlog import LOG, HuntHeader, HuntLog, ResumableHunt


class HuntFolder(Closable):
    """Writes a hunt's folder: the log event by event, the other files with each finding.

    A context manager. However the hunt ends, the folder holds the findings that are confirmed by then.
    """

    def __init__(self, folder: Path, header: HuntHeader, *, resumed: ResumableHunt | None = None) -> None:
        """Makes the folder and starts the log, or resumes the hunt `resumed`. Raises OutputError.

        Header, findings and finished operators of a resumed hunt are read from its log. Raises CaseFileError if the log
        is broken, without changes to the folder.
        """
        self.folder = folder
        self.header = resumed.header if resumed else header
        self._findings: dict[FindingKey, Finding] = {}
        self._searched: dict[str, Searched] = {}
        self.used = resumed.at if resumed else 0.0
        """Seconds of the budget at the last event."""
        self.answers: dict[str, list[Answer]] = {}
        """The timings of a resumed hunt, of operators whose search was interrupted."""
        if resumed is None:
            make_folder(folder)
        else:
            self._read_log(resumed)
        self.log = HuntLog(folder / LOG, self.header, resumed=resumed)
        try:
            # A killed hunt may have written its log but not the other files.
            self._write_findings(complete=False)
        except OutputError:
            self.close()
            raise

    def close(self) -> None:
        """Closes the log."""
        self.log.close()

    @property
    def findings(self) -> dict[str, Finding]:
        """The findings so far by the commands that replay them, in the order of their confirmation."""
        return {replay_command(self.folder, number): found for number, found in enumerate(self._findings.values(), 1)}

    @property
    def searched(self) -> tuple[Searched, ...]:
        """The finished operators, in order."""
        return tuple(self._searched.values())

    def write(self, event: LoggedEvent) -> None:
        """Writes an event to the log, and its effects to the other files. Raises OutputError.

        A finding replaces an earlier one with the same input and pass.
        """
        if isinstance(event, FindingConfirmed) and self._findings.get(finding_key(event.finding)) == event.finding:
            return
        self.log.write(event)
        self.used = event.at
        self._apply(event)
        if isinstance(event, FindingConfirmed | OperatorSearched | HuntFinished):
            self._write_findings(complete=isinstance(event, HuntFinished) and event.complete)

    def hunted(self, *, complete: bool) -> Hunted:
        """The content of the log so far."""
        return Hunted(self.header, self.findings, self.searched, self.used, complete)

    def _read_log(self, resumed: ResumableHunt) -> None:
        try:
            for event in resumed.events():
                self._apply(event)
                self._collect(event)
        except CaseFileError:
            resumed.file.close()
            raise

    def _apply(self, event: LoggedEvent) -> None:
        if isinstance(event, FindingConfirmed):
            self._findings[finding_key(event.finding)] = event.finding
        elif isinstance(event, OperatorSearched):
            self._searched[event.searched.operator] = event.searched

    def _collect(self, event: LoggedEvent) -> None:
        if isinstance(event, Answer):
            self.answers.setdefault(event.operator, []).append(event)
        elif isinstance(event, OperatorSearched) and event.searched.ended != "interrupted":
            self.answers.pop(event.searched.operator, None)

    def _write_findings(self, *, complete: bool) -> None:
        """Writes the case file first, so that it holds every case that `hunt.json` names."""
        hunted = self.hunted(complete=complete)
        header = CasesHeader(VERSION, self.header.autoperf, self.header.mxnet, self.header.seed)
        _replace_cases(self.folder / CASES, header, _cases(self._findings.values()))
        _replace(self.folder / JSON, hunted.json(ranking(hunted.findings)))


def make_folder(folder: Path) -> None:
    """Makes the folder of a new hunt. Raises OutputError, also if the folder is not empty."""
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise OutputError(f"{folder} is not empty; name a new folder, or resume its hunt with --resume")
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"can't make the folder {folder}: {error.strerror}") from error


def _cases(findings: Iterable[Finding]) -> list[Case]:
    """Each case once, grouped by operator."""
    cases: dict[str, Case] = {}
    for finding in sorted(findings, key=lambda finding: finding.operator):
        for case in cases_of(finding):
            cases.setdefault(case.id, case)
    return list(cases.values())


def finding_variables(header: HuntHeader) -> dict[str, str]:
    """The environment variables that affect a finding: those of MXNet, not the folders of autoperf."""
    variables = header.environment.settings.items()
    return {name: value for name, value in variables if name == EXTENSIONS_VARIABLE or not name.startswith("AUTOPERF_")}


def _replace(path: Path, text: str) -> None:
    """Writes a file atomically. Raises OutputError."""
    try:
        write_atomic(path, text)
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}") from error


def _replace_cases(path: Path, header: CasesHeader, cases: Iterable[Case]) -> None:
    """Writes a case file atomically. Raises OutputError."""
    try:
        with atomic_path(path) as temporary:
            write_cases(temporary, header, cases)
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}") from error


class HuntRecorder:
    """A sink that logs the events of a hunt; `elapsed` returns the used seconds of the budget."""

    def __init__(self, folder: HuntFolder, elapsed: Callable[[], float]) -> None:
        self._folder, self._elapsed = folder, elapsed
        self._operator = ""

    def handle(self, event: Event) -> None:
        """Writes the event if it belongs to the log, with its time and operator. Raises OutputError."""
        if isinstance(event, OperatorStarted):
            self._operator = event.operator
        elif isinstance(event, OfOperator):
            self._folder.write(msgspec.structs.replace(event, at=self._elapsed(), operator=self._operator))
        elif isinstance(event, Logged):
            self._folder.write(msgspec.structs.replace(event, at=self._elapsed()))
