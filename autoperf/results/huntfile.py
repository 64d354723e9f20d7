"""The folder that a hunt writes: its findings as JSON, as a case file and as scripts, and its log."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import msgspec

from autoperf.capi.extensions import EXTENSIONS_VARIABLE
from autoperf.cases.store import VERSION, CasesHeader, write_cases
from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.finding import Finding, Searched, Testimony
from autoperf.core.graph import Graph, Way
from autoperf.core.operator import Value
from autoperf.core.outcome import PassName
from autoperf.core.tensors import AnyContent, Shape, Storage, TensorSpec, default_content
from autoperf.generator.finding import Circumstances, cases_of, render_finding
from autoperf.results.huntlog import AnyEvent, Ended, Found, HuntEnd, HuntHeader, HuntLog, ResumableHunt, read_log

JSON = "hunt.json"
CASES = "hunt.ndjson"
LOG = "log.ndjson"
SCRIPTS = "scripts"


class TensorRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An input; what it is filled with, and how it is stored, where that isn't the plain way for its dtype."""

    name: str
    shape: Shape
    dtype: str
    content: AnyContent | None = None
    storage: Storage = "default"
    density: float | None = None


class InputsRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A case's inputs and parameters, how it is run where that is no plain call, and its id in the case file."""

    case: str
    tensors: tuple[TensorRecord, ...]
    params: dict[str, Value]
    graphs: dict[str, Graph] = {}
    training: bool = True
    way: Way = "call"


class FindingRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A finding as other programs read it; times in microseconds, `script` by its path below the folder."""

    operator: str
    pass_: PassName = msgspec.field(name="pass")
    inputs: InputsRecord
    contrast: InputsRecord
    step: str
    ratio: float
    low: float
    high: float
    expected_us: float
    actual_us: float
    contrast_us: float
    family: str
    oracles: tuple[Testimony, ...]
    kernels: dict[str, float]
    contrast_kernels: dict[str, float]
    script: str


class SearchedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What was done, of each operator, and under which circumstances; `complete` unless the hunt goes on or was cut."""

    seed: int
    budget: float
    seconds: float
    complete: bool
    mxnet: str
    autoperf: str
    threads: int | None
    operators: tuple[Searched, ...]


def record(finding: Finding, script: str) -> FindingRecord:
    """The finding with everything spelled out."""
    return FindingRecord(
        operator=finding.operator,
        pass_=finding.pass_,
        inputs=inputs_record(finding.case),
        contrast=inputs_record(finding.contrast),
        step=finding.step,
        ratio=finding.estimate.ratio,
        low=finding.estimate.low,
        high=finding.estimate.high,
        expected_us=finding.expected_us,
        actual_us=finding.actual_us,
        contrast_us=finding.contrast_us,
        family=finding.family,
        oracles=finding.testimonies,
        kernels=finding.kernels,
        contrast_kernels=finding.contrast_kernels,
        script=script,
    )


def to_json(findings: Sequence[FindingRecord], searched: SearchedRecord) -> str:
    """`{"findings": [...], "searched": {...}}`, a finding and an operator a line."""
    rows = _rows(findings)
    operators = _rows(searched.operators)
    rest = {name: value for name, value in msgspec.to_builtins(searched).items() if name != "operators"}
    head = msgspec.json.encode(rest).decode()[:-1]
    return f'{{"findings": [{rows}],\n"searched": {head},"operators":[{operators}]}}}}\n'


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
        self.log = HuntLog(folder / LOG, self.header, begun=begun)
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
        if isinstance(event, Found) and self._scripts.get(self._script_of(event.finding)) == event.finding:
            return
        self.log.write(event)
        self._seconds = event.at
        self._remember(event)
        if isinstance(event, Found):
            self._write_script(event.finding)
        if isinstance(event, Found | Ended | HuntEnd):
            self._write_findings(complete=isinstance(event, HuntEnd) and event.complete)

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
        if isinstance(event, Found):
            next_one = _next_script(event.finding.operator, self._scripts.values())
            self._scripts[self._script_of(event.finding) or next_one] = event.finding
        elif isinstance(event, Ended):
            self._searched[event.searched.operator] = event.searched

    def _script_of(self, finding: Finding) -> str:
        """The script of a finding that is there already; empty if it is a new one."""
        key = _key(finding)
        return next((script for script, one in self._scripts.items() if _key(one) == key), "")

    def _write_script(self, finding: Finding) -> None:
        script = self._script_of(finding)
        header = self.header
        circumstances = Circumstances(header.mxnet, header.seed, header.threads, _variables(header))
        _replace(self.folder / script, render_finding(finding, circumstances, Path(script).name))

    def _write_findings(self, *, complete: bool) -> None:
        """The case file first, so that whatever `hunt.json` tells of is there."""
        header = CasesHeader(VERSION, self.header.autoperf, self.header.mxnet, self.header.seed)
        cases = self.folder / CASES
        write_cases(_beside(cases), header, _cases(self._scripts.values()))
        _settle(cases)
        _replace(self.folder / JSON, self.json(complete=complete))


class Hunted(NamedTuple):
    """What a folder's log tells: its header, findings by their scripts' paths below the folder, and what was done."""

    header: HuntHeader
    findings: dict[str, Finding]
    searched: tuple[Searched, ...]


def read_folder(folder: Path) -> Hunted:
    """What a hunt has found, from its log; nothing is changed. Raises CaseFileError for a folder that has none."""
    header, events = read_log(folder / LOG)
    scripts: dict[tuple[str, PassName], str] = {}
    findings: dict[str, Finding] = {}
    searched: dict[str, Searched] = {}
    for event in events:
        if isinstance(event, Found):
            script = scripts.setdefault(_key(event.finding), _next_script(event.finding.operator, findings.values()))
            findings[script] = event.finding
        elif isinstance(event, Ended):
            searched[event.searched.operator] = event.searched
    return Hunted(header, findings, tuple(searched.values()))


def make_folder(folder: Path) -> None:
    """A folder for a new hunt, with one for its scripts. Raises OutputError, also for one that isn't empty."""
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise OutputError(f"{folder} isn't empty; name a new folder, or go on with its hunt by --resume")
        (folder / SCRIPTS).mkdir(parents=True)
    except OSError as error:
        raise OutputError(f"can't make the folder {folder}: {error.strerror}") from error


def _next_script(operator: str, findings: Iterable[Finding]) -> str:
    """Where the script of an operator's next finding goes."""
    return f"{SCRIPTS}/{operator}-{1 + sum(one.operator == operator for one in findings)}.py"


def _key(finding: Finding) -> tuple[str, PassName]:
    return finding.case.id, finding.pass_


def _cases(findings: Iterable[Finding]) -> list[Case]:
    """Each case once, those of an operator together."""
    kept: dict[str, Case] = {}
    for finding in sorted(findings, key=lambda one: one.operator):
        for case in cases_of(finding):
            kept.setdefault(case.id, case)
    return list(kept.values())


def inputs_record(case: Case) -> InputsRecord:
    """The case's inputs with everything spelled out."""
    tensors = tuple(_tensor(item.name, item.tensor) for item in case.inputs)
    return InputsRecord(
        case=case.id, tensors=tensors, params=case.params, graphs=case.graphs, training=case.training, way=case.way
    )


def _tensor(name: str, spec: TensorSpec) -> TensorRecord:
    plain = spec.content == default_content(spec.dtype)
    return TensorRecord(
        name=name,
        shape=spec.shape,
        dtype=spec.dtype,
        content=None if plain else spec.content,
        storage=spec.storage,
        density=None if spec.storage == "default" else spec.density,
    )


def _rows(values: Iterable[object]) -> str:
    rows = ",\n".join(msgspec.json.encode(value).decode() for value in values)
    return f"\n{rows}\n" if rows else ""


def _variables(header: HuntHeader) -> dict[str, str]:
    """What has to be set for a finding to be the same: how MXNet runs, not where autoperf finds it."""
    named = header.environment.settings.items()
    return {name: value for name, value in named if name == EXTENSIONS_VARIABLE or not name.startswith("AUTOPERF_")}


def _replace(path: Path, text: str) -> None:
    """Writes a file, whole or not at all. Raises OutputError."""
    beside = _beside(path)
    try:
        beside.write_text(text, encoding="utf-8")
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise OutputError(f"can't write {path}: {error.strerror}") from error
    _settle(path)


def _settle(path: Path) -> None:
    """What was written beside the file takes its place."""
    try:
        _beside(path).replace(path)
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}") from error


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.new")
