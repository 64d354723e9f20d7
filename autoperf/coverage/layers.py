"""The coverage of Gluon's layers, as `discover --layers` reports it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from rich.text import Text

from autoperf.core.coverage import Coverage
from autoperf.core.graph import LayerCoverage, LayerReport
from autoperf.core.releases import unique_labels
from autoperf.core.texts import count
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import INDENT, grouped, hanging, listed
from autoperf.reports.table import Report, Table
from autoperf.reports.units import split_words

STYLE = {Coverage.UNCOVERED: "red", Coverage.EXCLUDED: "yellow"}
_ReleaseLayer: TypeAlias = tuple[str, LayerCoverage]


@dataclass(frozen=True)
class LayerView:
    """The requested coverage of layers: of one status, or of all."""

    reports: Sequence[LayerReport]
    status: Coverage | None = None

    @cached_property
    def shown(self) -> list[tuple[str, LayerReport, tuple[LayerCoverage, ...]]]:
        """The label of each release, which distinguishes two builds of one version, and its layers of that status."""
        labels = unique_labels([report.mxnet for report in self.reports])
        return [
            (label, report, tuple(layer for layer in report.layers if self.status in (None, layer.status)))
            for label, report in zip(labels, self.reports, strict=True)
        ]


def total(report: LayerReport) -> str:
    """The sum of all classes of a release."""
    parts = (f"{report.count(status)} {status.value}" for status in Coverage)
    return f"{count(len(report.layers), 'class', 'classes')} = {' + '.join(parts)}"


def terminal_reports(view: LayerView) -> list[Report]:
    """Each release: the covered layers by module, the others by reason, and the sum."""
    return [
        Report(notes=(report.problem,))
        if report.problem
        else Report(_title(label), tables=tuple(_tables(report, layers, view.status)), sums=(total(report),))
        for label, report, layers in view.shown
    ]


def markdown_reports(view: LayerView) -> list[Report]:
    """Each release with its sum and its classes."""
    return [
        Report(
            _title(label),
            tables=() if report.problem else (Table("", _COLUMNS, layers),),
            sums=(report.problem or total(report),),
            notes=(f"not in this release: {', '.join(report.absent)}",) if report.absent and not view.status else (),
        )
        for label, report, layers in view.shown
    ]


def csv_table(view: LayerView) -> Table[_ReleaseLayer]:
    """A row for each class of each release; lists are joined by spaces, configurations by semicolons."""
    return Table("", _CSV_COLUMNS, [(label, layer) for label, _, layers in view.shown for layer in layers])


def layer_document(view: LayerView) -> dict[str, object]:
    """`{"releases": [{"label", "mxnet", "classes", "covered", ..., "layers", "absent", "problem"}]}`."""
    releases = [
        {
            "label": label,
            "mxnet": report.mxnet,
            "classes": len(report.layers),
            **{status.value: report.count(status) for status in Coverage},
            "layers": layers,
            "absent": report.absent,
            "problem": report.problem,
        }
        for label, report, layers in view.shown
    ]
    return {"releases": releases}


def _title(label: str) -> str:
    return f"Gluon of MXNet {label}"


def _tables(report: LayerReport, layers: Sequence[LayerCoverage], status: Coverage | None) -> Iterator[Table[Any]]:
    covered, others = (
        [layer for layer in layers if (layer.status is Coverage.COVERED) is yes] for yes in (True, False)
    )
    if covered:
        yield Table(
            "", (), covered, part=lambda layer: f"gluon.{layer.layer.module}",
            words=lambda layer: f"{', '.join(layer.ways)} {layer.reason and f'- {layer.reason}'}".split(),
            below=_call_lines, head=lambda layer, _width: f"{INDENT}{layer.layer.name}{INDENT}",
        )  # fmt: skip
    if others:
        reasons = grouped(others, lambda layer: (layer.status, layer.reason))
        yield Table(
            "", (), list(reasons.values()), head=lambda _row, _width: "",
            words=lambda members: f"{members[0].status.value}: {members[0].reason} ({len(members)})".split(),
            below=lambda members, width: _listed((layer.layer.path for layer in members), width),
            style=lambda members: STYLE[members[0].status],
        )  # fmt: skip
    if report.absent and status is None:
        words = f"not in MXNet {report.mxnet}, though they have a rule:".split()
        yield Table("", (), [report.absent], words=lambda _: words, below=_listed, head=lambda _row, _width: "")


def _call_lines(layer: LayerCoverage, width: int) -> Iterator[Text]:
    for call in _calls(layer):
        yield from hanging(" " * 6, split_words(call), width, "dim")


def _listed(names: Iterable[str], width: int) -> Iterator[Text]:
    return hanging(INDENT * 2, listed(names), width)


def _calls(layer: LayerCoverage) -> list[str]:
    return [f"{each.name}: {each.call}" for each in layer.configurations]


_COLUMNS: tuple[Column[LayerCoverage], ...] = (
    fact("layer", lambda layer: layer.layer.path, place=Place.LEAD),
    fact("status", lambda layer: ": ".join(filter(None, (layer.status.value, layer.reason))), place=Place.LEAD),
    fact("ways", lambda layer: ", ".join(layer.ways), place=Place.LEAD),
    fact("measured with", lambda layer: "; ".join(_calls(layer)), place=Place.LEAD),
)
_CSV_COLUMNS: tuple[Column[_ReleaseLayer], ...] = (
    fact("mxnet", lambda row: row[0]),
    fact("layer", lambda row: row[1].layer.path),
    fact("status", lambda row: row[1].status.value),
    fact("reason", lambda row: row[1].reason),
    fact("case", lambda row: row[1].operator),
    fact("ways", lambda row: " ".join(row[1].ways)),
    fact("rule", lambda row: row[1].rule),
    fact("configurations", lambda row: "; ".join(_calls(row[1]))),
    fact("signature", lambda row: row[1].layer.signature),
)
