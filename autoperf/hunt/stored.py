"""A hunt on disk: the files of its folder, findings as JSON, and the content of a log, in its folder or alone."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from autoperf.core.case import Case
from autoperf.core.finding import (
    CauseRanking,
    CommonTime,
    Evidence,
    FamilyCheck,
    Finding,
    FindingCode,
    OtherPass,
    Searched,
    SideRecord,
)
from autoperf.core.graph import ExecutionMode, Graph
from autoperf.core.hunt_events import FindingConfirmed, HuntFinished, LoggedEvent, OperatorSearched
from autoperf.core.operator import Value
from autoperf.core.outcome import PassName
from autoperf.core.tensors import AnyContent, Shape, Storage, TensorSpec, default_content
from autoperf.runs.huntlog import LOG, HuntHeader, read_log
from autoperf.runs.runfile import Provenance, command_line

JSON = "hunt.json"
CASES = "hunt.ndjson"
_REPLAY = ("autoperf", "hunt", "--replay")


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


class OtherPassRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The other pass of a finding, slow for the same cause, and the input that was measured; in microseconds."""

    pass_: PassName = msgspec.field(name="pass")
    inputs: InputsRecord
    ratio: float
    low: float
    high: float
    actual_us: float
    contrast_us: float


class FindingRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A finding as JSON; times are in microseconds.

    `replay` is the command that times it again. `sides` are the slow and the fast side of a hunt between two.
    `cost_share` is the share of the time of the operator's common calls that is lost, `cost_ms` the milliseconds that
    given calls lose.
    """

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
    oracles: tuple[Evidence, ...]
    kernels: dict[str, float]
    contrast_kernels: dict[str, float]
    replay: str
    check: FamilyCheck | None = None
    other_pass: OtherPassRecord | None = None
    sides: tuple[str, str] | None = None
    common: CommonTime | None = None
    cost_share: float | None = None
    cost_ms: float | None = None
    equal_work: bool = True
    code: FindingCode | None = None


class SearchedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The summary of the hunt; `complete` is false while it runs or if it was cut off. Times are in seconds.

    `sides` are the searched and the other side of a hunt between two.
    """

    seed: int
    budget: float
    seconds: float
    complete: bool
    mxnet: str
    autoperf: str
    threads: int | None
    operators: tuple[Searched, ...]
    sides: tuple[SideRecord, ...] = ()


def record(finding: Finding, replay: str, ranking: CauseRanking) -> FindingRecord:
    """The JSON record of a finding."""
    cost = ranking.costs[replay]
    return FindingRecord(
        cost_share=None if ranking.weighted else cost,
        cost_ms=cost if ranking.weighted else None,
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
        oracles=finding.evidence,
        kernels=finding.kernels,
        contrast_kernels=finding.contrast_kernels,
        replay=replay,
        check=finding.check,
        other_pass=_other_pass(finding.other_pass),
        sides=finding.sides,
        common=finding.common,
        equal_work=finding.is_equal_work,
        code=finding.code,
    )


def _other_pass(other: OtherPass | None) -> OtherPassRecord | None:
    if other is None:
        return None
    return OtherPassRecord(
        pass_=other.pass_,
        inputs=inputs_record(other.case),
        ratio=other.estimate.ratio,
        low=other.estimate.low,
        high=other.estimate.high,
        actual_us=other.actual_us,
        contrast_us=other.contrast_us,
    )


def to_json(ranking: CauseRanking, findings: Sequence[FindingRecord], searched: SearchedRecord) -> str:
    """`{"causes": [...], "own": [...], "findings": [...], "searched": {...}}`, with one value of each list per line."""
    causes, own = _rows(ranking.causes), _rows(ranking.own)
    rows = _rows(findings)
    operators = _rows(searched.operators)
    rest = {name: value for name, value in msgspec.to_builtins(searched).items() if name != "operators"}
    head = msgspec.json.encode(rest).decode()[:-1]
    lists = f'"causes": [{causes}],\n"own": [{own}],\n"findings": [{rows}]'
    return f'{{{lists},\n"searched": {head},"operators":[{operators}]}}}}\n'


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

    def json(self, ranking: CauseRanking) -> str:
        """The text of `hunt.json`, with this ranking of the findings."""
        header = self.header
        summary = SearchedRecord(
            seed=header.seed,
            budget=header.budget,
            seconds=self.seconds,
            complete=self.complete,
            mxnet=header.mxnet,
            autoperf=header.autoperf,
            threads=header.threads,
            sides=header.sides,
            operators=self.searched,
        )
        records = [record(found, replay, ranking) for replay, found in self.findings.items()]
        return to_json(ranking, records, summary)


def provenance_of_hunt(header: HuntHeader) -> Provenance:
    """The origin of a hunt's times."""
    environment = header.environment
    return Provenance(
        release=header.mxnet,
        build=str(environment.mxnet.get("library") or ""),
        revision=environment.git,
        machine=environment.machine,
        processor=environment.processor.model,
        threads=header.threads,
        date=header.started,
        autoperf=header.autoperf,
        seed=header.seed,
        command=command_line(header.command),
    )


def read_hunt(path: Path) -> Hunted:
    """The content of a hunt's folder or of its log; nothing is changed. Raises CaseFileError if it isn't one."""
    unreadable: list[str] = []
    log = path / LOG if path.is_dir() else path
    header, events = read_log(log, unreadable)
    findings: dict[FindingKey, Finding] = {}
    searched: dict[str, Searched] = {}
    last: LoggedEvent | None = None
    for last in events:
        if isinstance(last, FindingConfirmed):
            findings[finding_key(last.finding)] = last.finding
        elif isinstance(last, OperatorSearched):
            searched[last.searched.operator] = last.searched
    return Hunted(
        header,
        {replay_command(path, number): finding for number, finding in enumerate(findings.values(), 1)},
        tuple(searched.values()),
        seconds=last.at if last else 0.0,
        complete=isinstance(last, HuntFinished) and last.complete,
        unreadable=tuple(unreadable),
    )


def replay_command(path: Path, number: int) -> str:
    """The command that times a finding of a hunt's folder or log again; findings are numbered from 1."""
    return shlex.join((*_REPLAY, str(path), str(number)))


FindingKey: TypeAlias = tuple[str, PassName]


def finding_key(finding: Finding) -> FindingKey:
    """The identity of a finding: its slow input and the pass."""
    return finding.case.id, finding.pass_


def inputs_record(case: Case) -> InputsRecord:
    """The JSON record of a case's inputs."""
    tensors = tuple(_tensor(item.name, item.tensor) for item in case.inputs)
    return InputsRecord(
        case=case.id, tensors=tensors, params=case.params, graphs=case.graphs, training=case.training, way=case.way
    )


def _tensor(name: str, spec: TensorSpec) -> TensorRecord:
    is_default = spec.content == default_content(spec.dtype)
    return TensorRecord(
        name=name,
        shape=spec.shape,
        dtype=spec.dtype,
        content=None if is_default else spec.content,
        storage=spec.storage,
        density=None if spec.storage == "default" else spec.density,
    )


def _rows(values: Iterable[object]) -> str:
    rows = ",\n".join(msgspec.json.encode(value).decode() for value in values)
    return f"\n{rows}\n" if rows else ""
