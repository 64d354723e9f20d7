"""The coverage of a release's layers: its classes of blocks, each with the rule that covers it, or why none does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from autoperf.cases.build import Recipe, build
from autoperf.core.coverage import Coverage
from autoperf.core.errors import UsageError
from autoperf.core.layer_coverage import LayerClass, LayerConfiguration, LayerCoverage, LayerReport
from autoperf.core.layers import PREFIX
from autoperf.core.modes import HYBRIDIZE, IMPERATIVE
from autoperf.executor.settings import Settings
from autoperf.networks.tracing_client import TracingClient
from autoperf.pipeline.release import Release
from autoperf.reports.units import describe_case
from autoperf.rules.gluon_layers.catalog import gluon_layers_by_name, reason_of
from autoperf.rules.gluon_layers.layer import GluonLayer

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
