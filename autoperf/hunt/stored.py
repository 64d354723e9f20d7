"""A hunt on disk: its folder, written event by event; findings as JSON; and the content of a log."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from autoperf.cases.store import VERSION, CasesHeader, write_cases
from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.events import Answer, FindingConfirmed, HuntFinished, LoggedEvent, OperatorSearched
from autoperf.core.files import EXTENSIONS_VARIABLE, Closable, atomic_path, write_atomic
from autoperf.core.finding import CauseRanking, Finding, OtherPass, Searched, cases_of
from autoperf.core.graph import ExecutionMode, Graph
from autoperf.core.interrupts import interrupts_deferred
from autoperf.core.operator import Value
from autoperf.core.outcome import PassName
from autoperf.core.tensors import AnyContent, Shape, Storage, default_content
from autoperf.hunt.registry_causes import ranking
from autoperf.runs.huntlog import LOG, HuntHeader, HuntLog, ResumableHunt, read_log

JSON = "hunt.json"
CASES = "hunt.ndjson"


class TensorRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An input tensor, without content and storage if they are the default of its dtype."""

    name: str
    shape: Shape
    dtype: str
    content: AnyContent | None = None
    storage: Storage = "default"
    density: float | None = None


class InputsRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The inputs and parameters of a case, its id in the case file, and its execution mode unless it is a call."""

    case: str
    tensors: tuple[TensorRecord, ...]
    params: dict[str, Value]
    graphs: dict[str, Graph] = {}
    training: bool = True
    way: ExecutionMode = "call"


def _finding_json(finding: Finding, replay: str, ranking: CauseRanking) -> dict[str, object]:
    """A finding of `hunt.json`; times are in microseconds.

    `replay` is the command that times it again. `cost_share` is the share of the time of the operator's common calls
    that is lost, `cost_ms` the milliseconds that given calls lose; either is None.
    """
    cost, other = ranking.costs[replay], finding.other_pass
    return {
        "operator": finding.operator,
        "pass": finding.pass_,
        "inputs": inputs_record(finding.case),
        "contrast": inputs_record(finding.contrast),
        "step": finding.step,
        **msgspec.structs.asdict(finding.estimate),
        "expected_us": finding.expected_us,
        "actual_us": finding.actual_us,
        "contrast_us": finding.contrast_us,
        "family": finding.family,
        "oracles": finding.evidence,
        "kernels": finding.kernels,
        "contrast_kernels": finding.contrast_kernels,
        "replay": replay,
        "check": finding.check,
        "other_pass": _other_pass_json(other) if other else None,
        "sides": finding.sides,
        "common": finding.common,
        "cost_share": None if ranking.weighted else cost,
        "cost_ms": cost if ranking.weighted else None,
        "equal_work": finding.is_equal_work,
        "code": finding.code,
    }


def _other_pass_json(other: OtherPass) -> dict[str, object]:
    return {
        "pass": other.pass_,
        "inputs": inputs_record(other.case),
        **msgspec.structs.asdict(other.estimate),
        "actual_us": other.actual_us,
        "contrast_us": other.contrast_us,
    }


class Hunted(NamedTuple):
    """The content of a hunt's log: its header, findings by the commands that replay them, summaries, the used seconds.

    `complete` unless the hunt was cut off. `unreadable` has a message for each line that can't be read.
    """

    header: HuntHeader
    findings: dict[str, Finding]
    searched: tuple[Searched, ...]
    seconds: float = 0.0
    complete: bool = False
    unreadable: tuple[str, ...] = ()

    @property
    def unfinished(self) -> list[str]:
        """The operators whose search the log lacks, since the hunt runs or was cut off."""
        known = {search.operator for search in self.searched}
        return [] if self.complete else [name for name in self.header.operators if name not in known]

    def json(self, ranking: CauseRanking) -> str:
        """The text of `hunt.json`, with this ranking of the findings.

        `{"causes": [...], "own": [...], "findings": [...], "searched": {...}}`, with one value of each list per line.
        Times of `searched` are in seconds; it is `complete` unless the hunt runs or was cut off.
        """
        header = self.header
        lists = {
            "causes": ranking.causes,
            "own": ranking.own,
            "findings": [_finding_json(found, replay, ranking) for replay, found in self.findings.items()],
        }
        searched = {
            "seed": header.seed,
            "budget": header.budget,
            "seconds": self.seconds,
            "complete": self.complete,
            "mxnet": header.mxnet,
            "autoperf": header.autoperf,
            "threads": header.threads,
            "sides": header.sides,
        }
        head = msgspec.json.encode(searched).decode()[:-1]
        parts = "".join(f'"{name}": [{_rows(values)}],\n' for name, values in lists.items())
        return f'{{{parts}"searched": {head},"operators":[{_rows(self.searched)}]}}}}\n'


def read_hunt(path: Path) -> Hunted:
    """The content of a hunt's folder or of its log; nothing is changed. Raises CaseFileError if it isn't one."""
    unreadable: list[str] = []
    log = path / LOG if path.is_dir() else path
    header, events = read_log(log, unreadable)
    findings: dict[FindingKey, Finding] = {}
    searched: dict[str, Searched] = {}
    last: LoggedEvent | None = None
    for last in events:
        _apply(last, findings, searched)
    return Hunted(
        header,
        {replay_command(path, number): finding for number, finding in enumerate(findings.values(), 1)},
        tuple(searched.values()),
        seconds=last.at if last else 0.0,
        complete=isinstance(last, HuntFinished) and last.complete,
        unreadable=tuple(unreadable),
    )


def _apply(event: LoggedEvent, findings: dict[FindingKey, Finding], searched: dict[str, Searched]) -> None:
    """Adds what an event says; a finding replaces an earlier one with the same input and pass."""
    if isinstance(event, FindingConfirmed):
        findings[finding_key(event.finding)] = event.finding
    elif isinstance(event, OperatorSearched):
        searched[event.searched.operator] = event.searched


def replay_command(path: Path, number: int) -> str:
    """The command that times a finding of a hunt's folder or log again; findings are numbered from 1."""
    return shlex.join(("autoperf", "hunt", "--replay", str(path), str(number)))


FindingKey: TypeAlias = tuple[str, PassName]


def finding_key(finding: Finding) -> FindingKey:
    """The identity of a finding: its slow input and the pass."""
    return finding.case.id, finding.pass_


def inputs_record(case: Case) -> InputsRecord:
    """The JSON record of a case's inputs."""
    tensors = tuple(
        TensorRecord(
            name=name,
            shape=spec.shape,
            dtype=spec.dtype,
            content=None if spec.content == default_content(spec.dtype) else spec.content,
            storage=spec.storage,
            density=None if spec.storage == "default" else spec.density,
        )
        for name, spec in ((item.name, item.tensor) for item in case.inputs)
    )
    return InputsRecord(
        case=case.id, tensors=tensors, params=case.params, graphs=case.graphs, training=case.training, way=case.way
    )


def _rows(values: Iterable[object]) -> str:
    rows = ",\n".join(msgspec.json.encode(value).decode() for value in values)
    return f"\n{rows}\n" if rows else ""


class HuntFolder(Closable):
    """Writes a hunt's folder: the log event by event, the other files with each finding.

    A context manager. However the hunt ends, the folder holds the findings that are confirmed by then.
    """

    def __init__(self, folder: Path, header: HuntHeader, *, resumed: ResumableHunt | None = None) -> None:
        """Makes the folder and starts the log, or resumes the hunt `resumed`. Raises OutputError.

        Header, findings and finished operators of a resumed hunt are read from its log. Raises CaseFileError if the log
        is broken, without changes to the folder.
        """
        self.folder, self.header = folder, resumed.header if resumed else header
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
        """Writes an event to the log, and its effects to the other files. Raises OutputError."""
        if isinstance(event, FindingConfirmed) and self._findings.get(finding_key(event.finding)) == event.finding:
            return
        with interrupts_deferred():
            self.log.write(event)
            self.used = event.at
            _apply(event, self._findings, self._searched)
            if isinstance(event, FindingConfirmed | OperatorSearched | HuntFinished):
                self._write_findings(complete=isinstance(event, HuntFinished) and event.complete)

    def hunted(self, *, complete: bool) -> Hunted:
        """The content of the log so far."""
        return Hunted(self.header, self.findings, self.searched, self.used, complete)

    def _read_log(self, resumed: ResumableHunt) -> None:
        try:
            for event in resumed.events():
                _apply(event, self._findings, self._searched)
                if isinstance(event, Answer):
                    self.answers.setdefault(event.operator, []).append(event)
                elif isinstance(event, OperatorSearched) and event.searched.ended != "interrupted":
                    self.answers.pop(event.searched.operator, None)
        except CaseFileError:
            resumed.file.close()
            raise

    def _write_findings(self, *, complete: bool) -> None:
        """Writes the case file first, so that it holds every case that `hunt.json` names."""
        hunted, cases, json = self.hunted(complete=complete), self.folder / CASES, self.folder / JSON
        header = CasesHeader(VERSION, self.header.autoperf, self.header.mxnet, self.header.seed)
        # Each case once, grouped by operator.
        distinct: dict[str, Case] = {}
        for finding in sorted(self._findings.values(), key=lambda finding: finding.operator):
            for case in cases_of(finding):
                distinct.setdefault(case.id, case)
        with _written(cases), atomic_path(cases) as temporary:
            write_cases(temporary, header, list(distinct.values()))
        with _written(json):
            write_atomic(json, hunted.json(ranking(hunted.findings)))


def make_folder(folder: Path) -> None:
    """Makes the folder of a new hunt. Raises OutputError, also if the folder is not empty."""
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise OutputError(f"{folder} is not empty; name a new folder, or resume its hunt with --resume")
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"can't make the folder {folder}: {error.strerror}") from error


def finding_variables(header: HuntHeader) -> dict[str, str]:
    """The environment variables that affect a finding: those of MXNet, not the folders of autoperf."""
    variables = header.environment.settings.items()
    return {name: value for name, value in variables if name == EXTENSIONS_VARIABLE or not name.startswith("AUTOPERF_")}


@contextmanager
def _written(path: Path) -> Iterator[None]:
    """Raises OutputError where this file can't be written."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}") from error
