"""Writes a hunt's folder: findings as JSON, as a case file and as scripts, and the log."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from autoperf.capi.extensions import EXTENSIONS_VARIABLE
from autoperf.cases.store import VERSION, CasesHeader, write_cases
from autoperf.core.atomic import atomic_path, write_atomic
from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.finding import Finding, Searched
from autoperf.generator.finding import Circumstances, cases_of, render_finding
from autoperf.results.huntfile import (
    CASES,
    JSON,
    LOG,
    SCRIPTS,
    SearchedRecord,
    finding_key,
    next_script,
    record,
    to_json,
)
from autoperf.results.huntlog import AnyEvent, EndLine, FindingLine, HuntHeader, HuntLog, ResumableHunt, SearchedLine


class HuntFolder:
    """Writes a hunt's folder: its log as things happen, everything else anew with each finding.

    A context manager. Whatever ends the hunt, the folder holds what is confirmed by then.
    """

    def __init__(self, folder: Path, header: HuntHeader, *, begun: ResumableHunt | None = None) -> None:
        """Makes the folder and begins the log, or goes on with a hunt that has begun. Raises OutputError.

        Of a hunt that has begun, header, findings and operators that are done are taken from its log; raises
        CaseFileError if that is broken, and changes nothing then.
        """
        self.folder = folder
        self.header = begun.header if begun else header
        self._scripts: dict[str, Finding] = {}
        self._searched: dict[str, Searched] = {}
        self._seconds = begun.at if begun else 0.0
        if begun is None:
            make_folder(folder)
        else:
            self._recall(begun)
        self.log = HuntLog(folder / LOG, self.header, resumed=begun)
        try:
            # What was killed may have been so between its log and the rest.
            for finding in self._scripts.values():
                self._write_script(finding)
            self._write_findings(complete=False)
        except OutputError:
            self.close()
            raise

    def close(self) -> None:
        """Nothing more comes."""
        self.log.close()

    def __enter__(self) -> HuntFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def findings(self) -> dict[str, Finding]:
        """The findings so far by their scripts' paths below the folder, in the order in which they were made."""
        return dict(self._scripts)

    @property
    def searched(self) -> tuple[Searched, ...]:
        """The operators that are done, in the order in which they were."""
        return tuple(self._searched.values())

    def write(self, event: AnyEvent) -> None:
        """This happened: into the log, and what it changes, into the other files. Raises OutputError.

        A finding that is there already, by its input and pass, takes the place of the one that was there.
        """
        if isinstance(event, FindingLine) and self._scripts.get(self._script_of(event.finding)) == event.finding:
            return
        self.log.write(event)
        self._seconds = event.at
        self._remember(event)
        if isinstance(event, FindingLine):
            self._write_script(event.finding)
        if isinstance(event, FindingLine | SearchedLine | EndLine):
            self._write_findings(complete=isinstance(event, EndLine) and event.complete)

    def json(self, *, complete: bool) -> str:
        """The text of `hunt.json`."""
        searched = SearchedRecord(
            seed=self.header.seed,
            budget=self.header.budget,
            seconds=self._seconds,
            complete=complete,
            mxnet=self.header.mxnet,
            autoperf=self.header.autoperf,
            threads=self.header.threads,
            operators=self.searched,
        )
        return to_json([record(finding, script) for script, finding in self._scripts.items()], searched)

    def _recall(self, begun: ResumableHunt) -> None:
        try:
            for event in begun.events():
                self._remember(event)
        except CaseFileError:
            begun.file.close()
            raise

    def _remember(self, event: AnyEvent) -> None:
        if isinstance(event, FindingLine):
            next_one = next_script(event.finding.operator, self._scripts.values())
            self._scripts[self._script_of(event.finding) or next_one] = event.finding
        elif isinstance(event, SearchedLine):
            self._searched[event.searched.operator] = event.searched

    def _script_of(self, finding: Finding) -> str:
        """The script of a finding that is there already; empty if it is a new one."""
        key = finding_key(finding)
        return next((script for script, one in self._scripts.items() if finding_key(one) == key), "")

    def _write_script(self, finding: Finding) -> None:
        script = self._script_of(finding)
        header = self.header
        circumstances = Circumstances(header.mxnet, header.seed, header.threads, _variables(header))
        _replace(self.folder / script, render_finding(finding, circumstances, Path(script).name))

    def _write_findings(self, *, complete: bool) -> None:
        """The case file first, so that whatever `hunt.json` tells of is there."""
        header = CasesHeader(VERSION, self.header.autoperf, self.header.mxnet, self.header.seed)
        _replace_cases(self.folder / CASES, header, _cases(self._scripts.values()))
        _replace(self.folder / JSON, self.json(complete=complete))


def make_folder(folder: Path) -> None:
    """A folder for a new hunt, with one for its scripts. Raises OutputError, also for one that isn't empty."""
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise OutputError(f"{folder} isn't empty; name a new folder, or go on with its hunt by --resume")
        (folder / SCRIPTS).mkdir(parents=True)
    except OSError as error:
        raise OutputError(f"can't make the folder {folder}: {error.strerror}") from error


def _cases(findings: Iterable[Finding]) -> list[Case]:
    """Each case once, those of an operator together."""
    kept: dict[str, Case] = {}
    for finding in sorted(findings, key=lambda one: one.operator):
        for case in cases_of(finding):
            kept.setdefault(case.id, case)
    return list(kept.values())


def _variables(header: HuntHeader) -> dict[str, str]:
    """What has to be set for a finding to be the same: how MXNet runs, not where autoperf finds it."""
    named = header.environment.settings.items()
    return {name: value for name, value in named if name == EXTENSIONS_VARIABLE or not name.startswith("AUTOPERF_")}


def _replace(path: Path, text: str) -> None:
    """Writes a file, whole or not at all. Raises OutputError."""
    try:
        write_atomic(path, text)
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}") from error


def _replace_cases(path: Path, header: CasesHeader, cases: Iterable[Case]) -> None:
    """Writes a case file, whole or not at all. Raises OutputError."""
    try:
        with atomic_path(path) as beside:
            write_cases(beside, header, cases)
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}") from error
