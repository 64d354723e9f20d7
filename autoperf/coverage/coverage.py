"""The coverage of operators, layers and dtypes, and the ledgers of releases."""

from __future__ import annotations

import contextlib
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from autoperf.backends.lookup import MXNET, backend_of
from autoperf.cases.build import BuildResult, Recipe, build, dtypes_of, inference_call, resolve
from autoperf.cases.release import Gradients, Release, read_gradients
from autoperf.cases.selection import Selection, Target, targets
from autoperf.core.case import Case
from autoperf.core.coverage import (
    BaselineCheck,
    Coverage,
    CoverageBaseline,
    CoverageEntry,
    CoverageReport,
    CoverageSummary,
    DtypeAnswers,
    OperatorCoverage,
    RuleReference,
    compare,
)
from autoperf.core.errors import CaseFileError, OutputError, UsageError, UserRuleError
from autoperf.core.files import cache_folder, is_special, read_input, write_atomic
from autoperf.core.graph import (
    HYBRIDIZE,
    IMPERATIVE,
    PREFIX,
    LayerClass,
    LayerConfiguration,
    LayerCoverage,
    LayerReport,
)
from autoperf.core.ndjson import BYTE_ORDER_MARK, kind_of
from autoperf.core.operator import Registry, Role
from autoperf.measurement.batches import Job
from autoperf.measurement.messages import CaseFailure
from autoperf.measurement.scratch import scratch_folder
from autoperf.measurement.settings import Settings
from autoperf.measurement.trial_client import DryRunClient
from autoperf.networks.source import TracingClient
from autoperf.registry.calls import Completion
from autoperf.registry.client import library_key, load_cached, save_cached
from autoperf.reports.units import describe_case
from autoperf.rules.gluon_layers.layer import gluon_layers_by_name, reason_of
from autoperf.rules.rule import Inputs, InputSpec, Rule

TESTED_DTYPES = ("float16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool")
"""The dtypes that are tested with every operator."""
SMALL_PROFILE = "small"

Answers: TypeAlias = dict[str, DtypeAnswers]


class CachedAnswers(msgspec.Struct, frozen=True):
    """The answers for an operator; `key` is the digest of the tested inputs."""

    key: str
    answers: DtypeAnswers


def cached_answers(library: Path, chosen: Sequence[Target]) -> Answers:
    """The cached answers for these operators."""
    known = _load(library)
    answers: Answers = {}
    for target in chosen:
        cached = known.get(target.operator.name)
        # A user's own rule that fails has no digest.
        with contextlib.suppress(UserRuleError):
            if target.rule and cached and cached.key == inputs_digest(target, target.rule):
                answers[target.operator.name] = cached.answers
    return answers


def cache_answers(library: Path, fresh: Mapping[str, CachedAnswers]) -> None:
    """Adds answers to the cache, which another process may have extended meanwhile."""
    if fresh:
        save_cached(_path(library), msgspec.json.encode({**_load(library), **fresh}))


def inputs_digest(target: Target, rule: Rule) -> str:
    """The digest of the inputs that are tested, in every dtype, before inference completes them."""
    inputs = []
    for dtype in TESTED_DTYPES:
        call, spec = small_call(target, rule, dtype)[1], InputSpec(target.operator, dtype)
        given = Completion(inputs=tuple(inference_call(call, spec).inputs.items()))
        stated = rule.contents_of(resolve(call, spec, rule, SMALL_PROFILE, given))
        inputs.append((msgspec.to_builtins(call), msgspec.to_builtins(dict(stated))))
    traits = rule.inferable, rule.dtype, rule.dtypes
    return hashlib.sha256(msgspec.msgpack.encode((inputs, traits), order="deterministic")).hexdigest()[:24]


def small_call(target: Target, rule: Rule, dtype: str) -> tuple[str, Inputs]:
    """The profile and the call that test a dtype: the small profile, or the first one if there is none."""
    canonical = rule.canonical(InputSpec(target.operator, dtype))
    profile = SMALL_PROFILE if SMALL_PROFILE in canonical else next(iter(canonical))
    return profile, canonical[profile]


def _path(library: Path) -> Path:
    return cache_folder() / f"dtypes-{library_key(library, backend_of(MXNET))}.json"


def _load(library: Path) -> dict[str, CachedAnswers]:
    return load_cached(_path(library), dict[str, CachedAnswers]) or {}


TIMEOUT_SECONDS = 10.0

ProgressCallback: TypeAlias = Callable[[int, int], None]


def try_dtypes(release: Release, chosen: Sequence[Target], on_progress: ProgressCallback | None = None) -> Answers:
    """The cached answers for these operators, and new ones by trials; `on_progress` gets (done, total).

    An answer is not cached if its process was killed from outside, which says little of the operator.
    Raises AutoperfError if MXNet can't be loaded for the trials.
    """
    answers = cached_answers(release.library, chosen)
    missing = [target for target in chosen if target.rule and target.operator.name not in answers]
    if not missing:
        return answers
    fresh: dict[str, CachedAnswers] = {}
    try:
        for done, (target, rule, (answer, certain)) in enumerate(_try_all(release, missing), 1):
            answers[target.operator.name] = answer
            if certain:
                fresh[target.operator.name] = CachedAnswers(inputs_digest(target, rule), answer)
            if on_progress:
                on_progress(done, len(missing))
    finally:
        # Answers from before Ctrl-C need not be computed again.
        cache_answers(release.library, fresh)
    return answers


def small_case(release: Release, target: Target, rule: Rule, dtype: str) -> BuildResult:
    """The case that tests a dtype, or the reason why there is none."""
    profile, _ = small_call(target, rule, dtype)
    recipe = Recipe(draws=0, profiles=frozenset((profile,)), dtypes=(dtype,))
    return build(target.operator, rule, recipe, release.client)


def _try_all(release: Release, missing: Sequence[Target]) -> Iterator[tuple[Target, Rule, tuple[DtypeAnswers, bool]]]:
    settings = Settings(timeout=TIMEOUT_SECONDS)
    with scratch_folder() as folder, DryRunClient(release.library, settings, folder) as client:
        for target in missing:
            if not target.rule:
                continue
            # A user's own rule that fails has no answer; the release keeps the failure.
            with contextlib.suppress(UserRuleError):
                yield target, target.rule, _answers(release, target, target.rule, client)


def _answers(release: Release, target: Target, rule: Rule, client: DryRunClient) -> tuple[DtypeAnswers, bool]:
    """The answers for one operator, and whether they are certain; a dtype is accepted if its case runs."""
    built = {dtype: small_case(release, target, rule, dtype) for dtype in TESTED_DTYPES}
    cases = {dtype: result.cases[0] for dtype, result in built.items() if result.cases}
    refused = {dtype: result.rejections[0].reason for dtype, result in built.items() if not result.cases}
    refused |= _duplicates(cases, rule.dtype)
    answers = {dtype: client.forward(Job(case)) for dtype, case in cases.items() if dtype not in refused}
    failures = {dtype: answer for dtype, answer in answers.items() if isinstance(answer, CaseFailure)}
    refused |= {dtype: failure.reason for dtype, failure in failures.items()}
    dtypes = DtypeAnswers(
        taken=tuple(dtype for dtype in TESTED_DTYPES if dtype not in refused),
        refused={dtype: refused[dtype] for dtype in TESTED_DTYPES if dtype in refused},
    )
    return dtypes, not any(failure.killed or failure.broken for failure in failures.values())


def _duplicates(cases: Mapping[str, Case], default: str) -> dict[str, str]:
    """Reasons against dtypes that give the same case as another one: the case counts for the dtype of its data only."""
    counts = Counter(case.digest for case in cases.values())
    refused = {}
    for dtype, case in cases.items():
        types = dtypes_of(case)
        actual = default if default in types or not types else types[0]
        if counts[case.digest] > 1 and dtype != actual:
            refused[dtype] = f"its data is {actual}, whatever is asked for"
    return refused


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
    """Writes a ledger atomically, over one of its release alone. Raises OutputError, CaseFileError and UsageError."""
    if is_special(path):
        raise OutputError(f"the ledger {path} can't be written: it is a device or a pipe; give another file")
    if path.exists():
        try:
            existing = read_ledger(path).mxnet
        except CaseFileError as error:
            raise CaseFileError(
                f"{error}; it is not replaced: name another file for the ledger, or remove it"
            ) from None
        if existing != ledger.mxnet:
            raise UsageError(
                f"{path} is the ledger of MXNet {existing} and is not replaced by one of MXNet {ledger.mxnet}: "
                "name another file"
            )
    try:
        write_atomic(path, to_text(ledger))
    except OSError as error:
        raise OutputError(f"the ledger {path} can't be written: {error.strerror}") from None


def to_text(ledger: CoverageBaseline) -> str:
    """The text of a ledger: one operator per line, sorted by name, so that diff can compare two versions."""
    head = _json({"type": TYPE, "version": VERSION, "mxnet": ledger.mxnet})[:-1]
    lines = ",\n".join(f"{_json(name)}: {_json(entry)}" for name, entry in sorted(ledger.operators.items()))
    return f'{head},"operators":{{\n{lines}\n}}}}\n'


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
    known = {(entry.module, entry.name) for entry in classes}
    absent = sorted(
        layer.operator.description
        for layer in gluon_layers_by_name().values()
        if known.isdisjoint((module, layer.name) for module in layer.modules)
    )
    return LayerReport(mxnet, coverage, tuple(absent))


def _coverage(release: Release, layer_class: LayerClass) -> LayerCoverage:
    layer = gluon_layers_by_name().get(PREFIX + layer_class.name)
    if layer is None or layer_class.module not in layer.modules:
        reason = reason_of(layer_class.module, layer_class.name)
        return LayerCoverage(layer_class, Coverage.EXCLUDED if reason else Coverage.UNCOVERED, reason=reason or NO_RULE)
    profiles = {layer.profile(name, IMPERATIVE): name for name in layer.configurations}
    recipe, configurations = Recipe(draws=0, profiles=frozenset(profiles)), []
    for case in build(layer.operator, layer.rule(), recipe, release.client).cases:
        params = {name: value for name, value in case.params.items() if name != HYBRIDIZE}
        call = describe_case(msgspec.structs.replace(case, params=params))
        configurations.append(LayerConfiguration(profiles[case.profile], call))
    return LayerCoverage(
        layer_class,
        Coverage.COVERED,
        PREFIX + layer.name,
        layer.source,
        f"can't be hybridized: {layer.imperative_only}" if layer.imperative_only else "",
        tuple(layer.ways),
        tuple(configurations),
    )
