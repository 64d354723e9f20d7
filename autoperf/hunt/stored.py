"""A hunt on disk: the files of its folder, findings as JSON, and the content of a log, in its folder or alone."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from autoperf.core.case import Case
from autoperf.core.finding import CauseRanking, Finding, OtherPass, Searched
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
