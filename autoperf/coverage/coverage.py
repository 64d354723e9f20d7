"""The coverage of operators and layers: registered, covered and differentiable ones, and the ledgers of releases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Gradients, Release, read_gradients
from autoperf.cases.selection import Selection, Target, targets
from autoperf.core.coverage import (
    BaselineCheck,
    Coverage,
    CoverageBaseline,
    CoverageEntry,
    CoverageReport,
    CoverageSummary,
    OperatorCoverage,
    RuleReference,
    compare,
)
from autoperf.core.errors import CaseFileError, OutputError, UsageError
from autoperf.core.files import is_special, read_input, write_atomic
from autoperf.core.layers import PREFIX, LayerClass, LayerConfiguration, LayerCoverage, LayerReport
from autoperf.core.modes import HYBRIDIZE, IMPERATIVE
from autoperf.core.ndjson import BYTE_ORDER_MARK, kind_of
from autoperf.core.operator import Registry, Role
from autoperf.coverage.dtypes import Answers
from autoperf.measurement.settings import Settings
from autoperf.networks.tracing_client import TracingClient
from autoperf.reports.units import describe_case
from autoperf.rules.gluon_layers.layer import GluonLayer, gluon_layers_by_name, reason_of


def report(
    release: Release, every: list[Target], chosen: list[Target], gradients: Gradients, dtypes: Answers
) -> CoverageReport:
    """The coverage of the chosen operators; the summary counts every registered one."""
    registry = release.registry
    rows = tuple(_row(release, target, gradients, dtypes) for target in chosen)
    backward = tuple(operator.name for operator in registry.operators if operator.role is Role.BACKWARD)
    return CoverageReport(registry.mxnet, registry.names, rows, summary(registry, every), backward)


def summary(registry: Registry, every: list[Target]) -> CoverageSummary:
    """Totals over the whole registry: each forward operator is covered, uncovered or excluded."""
    roles = Counter(operator.role for operator in registry.operators)
    status = Counter(status_of(target) for target in every)
    return CoverageSummary(
        registered=registry.names,
        canonical=len(registry.operators),
        alias=sum(len(operator.aliases) for operator in registry.operators),
        backward=roles[Role.BACKWARD],
        forward=roles[Role.FORWARD],
        covered=status[Coverage.COVERED],
        uncovered=status[Coverage.UNCOVERED],
        excluded=status[Coverage.EXCLUDED],
    )


def _row(release: Release, target: Target, gradients: Gradients, dtypes: Answers) -> OperatorCoverage:
    operator, rule = target.operator, target.rule
    gradient = gradients.get(operator.name)
    return OperatorCoverage(
        name=operator.name,
        aliases=operator.aliases,
        namespace=operator.namespace,
        category=target.category,
        status=status_of(target),
        reason=target.reason,
        rule=RuleReference(release.tier(rule).value, rule.source) if rule else None,
        differentiable=gradient.differentiable if gradient else None,
        backward_kernels=gradient.kernels if gradient else (),
        dtypes=dtypes.get(operator.name),
    )


def status_of(target: Target) -> Coverage:
    """Whether an operator is covered, excluded or uncovered."""
    if target.rule:
        return Coverage.COVERED
    return Coverage.EXCLUDED if target.excluded else Coverage.UNCOVERED


VERSION = 1
TYPE = "ledger"


class _Head(msgspec.Struct):
    type: str
    version: int


def coverage_baseline(release: Release) -> CoverageBaseline:
    """The current ledger of a release."""
    every = targets(release.registry, release.catalog, Selection())
    gradients = read_gradients(release, every)
    entries = {target.operator.name: _entry(target, gradients) for target in every}
    return CoverageBaseline(release.registry.mxnet, entries)


def check(release: Release, path: Path) -> BaselineCheck:
    """The changes since this ledger, of this release or another, was written. Raises CaseFileError if it is invalid."""
    return compare(read_ledger(path), coverage_baseline(release), canonical_names(release.registry))


def canonical_names(registry: Registry) -> dict[str, str]:
    """The canonical name of each alias."""
    return {alias: operator.name for operator in registry.operators for alias in operator.aliases}


def read_ledger(path: Path) -> CoverageBaseline:
    """The ledger in a file. Raises CaseFileError if it is unreadable, invalid, or has another version."""
    try:
        data = read_input(path).removeprefix(BYTE_ORDER_MARK)
    except CaseFileError as error:
        reason = str(error).removeprefix(f"can't read {path}: ")
        raise CaseFileError(f"the ledger {path} can't be read: {reason}") from None
    try:
        head = msgspec.json.decode(data, type=_Head)
        if head.type != TYPE:
            raise CaseFileError(f"invalid ledger {path}: expected type {TYPE!r}, got {head.type!r}")
        if head.version != VERSION:
            raise CaseFileError(
                f"the ledger {path} has version {head.version}, and this autoperf reads version {VERSION}; "
                "check it with the autoperf that wrote it, or write a new one with --write-ledger to another file"
            )
        return msgspec.json.decode(data, type=CoverageBaseline)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        first_line = data.lstrip().partition(b"\n")[0]
        kind = "" if first_line.startswith(b"{") else f"; it seems to be {kind_of(first_line)}"
        raise CaseFileError(f"invalid ledger {path}: {error}{kind}") from None


def write_ledger(path: Path, ledger: CoverageBaseline) -> None:
    """Writes a ledger atomically. Only a ledger of the same release is replaced.

    Raises OutputError if the write fails, CaseFileError and UsageError if the path holds another file.
    """
    if is_special(path):
        raise OutputError(f"the ledger {path} can't be written: it is a device or a pipe; give another file")
    if path.exists():
        _refuse_others(path, ledger.mxnet)
    try:
        write_atomic(path, to_text(ledger))
    except OSError as error:
        raise OutputError(f"the ledger {path} can't be written: {error.strerror}") from None


def to_text(ledger: CoverageBaseline) -> str:
    """The text of a ledger: one operator per line, sorted by name, so that diff can compare two versions."""
    head = _json({"type": TYPE, "version": VERSION, "mxnet": ledger.mxnet})[:-1]
    lines = ",\n".join(f"{_json(name)}: {_json(entry)}" for name, entry in sorted(ledger.operators.items()))
    return f'{head},"operators":{{\n{lines}\n}}}}\n'


def _refuse_others(path: Path, mxnet: str) -> None:
    try:
        existing = read_ledger(path).mxnet
    except CaseFileError as error:
        raise CaseFileError(f"{error}; it is not replaced: name another file for the ledger, or remove it") from None
    if existing != mxnet:
        raise UsageError(
            f"{path} is the ledger of MXNet {existing} and is not replaced by one of MXNet {mxnet}: name another file"
        )


def _entry(target: Target, gradients: Gradients) -> CoverageEntry:
    gradient = gradients.get(target.operator.name)
    return CoverageEntry(
        status=status_of(target),
        category=target.rule.category if target.rule else "",
        reason=target.excluded.reason.value if target.excluded else "",
        differentiable=gradient.differentiable if gradient else None,
    )


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


NO_RULE = "no rule makes arguments and arrays for it; a line in rules/gluon_layers does"
MAX_SECONDS = 120.0


def layer_reports(releases: Sequence[Release]) -> list[LayerReport]:
    """The layers of each release. Raises UsageError if none has a Python package, which has the layers."""
    reports = [layer_report(release) for release in releases]
    problems = [report.problem for report in reports]
    if all(problems):
        raise UsageError(problems[0])
    return reports


def layer_report(release: Release) -> LayerReport:
    """The layers of a release, or the problem if it has no Python package. Raises UsageError."""
    mxnet = release.registry.mxnet
    if not release.backend.has_package(release.library):
        problem = (
            f"the layers of MXNet {mxnet} in {release.library} aren't known, since its Python package isn't beside it: "
            f"install it by `autoperf releases install --package {mxnet}`, or name the folder of a whole package by "
            "--mxnet"
        )
        return LayerReport(mxnet, problem=problem)
    with TracingClient(release.library, MAX_SECONDS, Settings().bytes_allowed) as client:
        classes = client.layer_classes()
    coverage = tuple(_coverage(release, layer_class) for layer_class in classes)
    return LayerReport(mxnet, coverage, tuple(sorted(_absent(classes))))


def _coverage(release: Release, layer_class: LayerClass) -> LayerCoverage:
    layer = gluon_layers_by_name().get(PREFIX + layer_class.name)
    if layer is None or layer_class.module not in layer.modules:
        reason = reason_of(layer_class.module, layer_class.name)
        return LayerCoverage(layer_class, Coverage.EXCLUDED if reason else Coverage.UNCOVERED, reason=reason or NO_RULE)
    return LayerCoverage(
        layer_class,
        Coverage.COVERED,
        PREFIX + layer.name,
        layer.source,
        f"can't be hybridized: {layer.imperative_only}" if layer.imperative_only else "",
        tuple(layer.ways),
        tuple(_configurations(release, layer)),
    )


def _configurations(release: Release, layer: GluonLayer) -> Iterator[LayerConfiguration]:
    profiles = {layer.profile(name, IMPERATIVE): name for name in layer.configurations}
    recipe = Recipe(draws=0, profiles=frozenset(profiles))
    for case in build(layer.operator, layer.rule(), recipe, release.client).cases:
        params = {name: value for name, value in case.params.items() if name != HYBRIDIZE}
        call = describe_case(msgspec.structs.replace(case, params=params))
        yield LayerConfiguration(profiles[case.profile], call)


def _absent(classes: Sequence[LayerClass]) -> Iterator[str]:
    """The paths of layers that have a rule, but no class in this release."""
    known = {(entry.module, entry.name) for entry in classes}
    for layer in gluon_layers_by_name().values():
        if not any((module, layer.name) in known for module in layer.modules):
            yield layer.operator.description
