"""The coverage of Gluon's layers: the table, JSON, CSV and Markdown of `discover --layers`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec
from rich.text import Text

from autoperf.core.coverage import Coverage
from autoperf.core.layer_coverage import LayerCoverage, LayerReport
from autoperf.reports.csv_text import csv_line
from autoperf.reports.layout import grouped, hanging, listed
from autoperf.reports.markdown import cells, escape, heading
from autoperf.reports.units import count, split_words

STYLE = {Coverage.UNCOVERED: "red", Coverage.EXCLUDED: "yellow"}
_CSV_COLUMNS = ("mxnet", "layer", "status", "reason", "case", "ways", "rule", "configurations", "signature")


@dataclass(frozen=True)
class LayerView:
    """The requested coverage of layers: of one status, or of all."""

    reports: Sequence[LayerReport]
    status: Coverage | None = None

    @cached_property
    def shown(self) -> list[tuple[LayerReport, tuple[LayerCoverage, ...]]]:
        """The releases with their layers of that status."""
        return [(report, tuple(filter(self._keeps, report.layers))) for report in self.reports]

    def _keeps(self, layer: LayerCoverage) -> bool:
        return self.status in (None, layer.status)


def total(report: LayerReport) -> str:
    """The sum of all classes of a release."""
    parts = (f"{report.count(status)} {status.value}" for status in Coverage)
    return f"{count(len(report.layers), 'class', 'classes')} = {' + '.join(parts)}"


def table_lines(view: LayerView, width: int) -> Iterator[Text]:
    """Each release: the covered layers by module, then the others by reason, then the sum."""
    for report, layers in view.shown:
        if report.problem:
            yield from hanging("", report.problem.split(), width)
            continue
        yield Text(f"Gluon of MXNet {report.mxnet}", style="bold")
        yield Text()
        yield from _covered(layers, width)
        yield from _others(layers, width)
        yield from _absent(report, width) if view.status is None else ()
        yield Text(total(report), style="bold")


def to_json(view: LayerView) -> str:
    """`{"releases": [{"mxnet", "classes", "covered", "uncovered", "excluded", "layers", "absent", "problem"}]}`."""
    releases = [
        {
            "mxnet": report.mxnet,
            "classes": len(report.layers),
            **{status.value: report.count(status) for status in Coverage},
            "layers": layers,
            "absent": report.absent,
            "problem": report.problem,
        }
        for report, layers in view.shown
    ]
    return msgspec.json.format(msgspec.json.encode({"releases": releases}), indent=1).decode() + "\n"


def to_csv(view: LayerView) -> str:
    """A row for each class of each release; lists are joined by spaces, configurations by semicolons."""
    rows = (_csv_row(report, layer) for report, layers in view.shown for layer in layers)
    return csv_line(_CSV_COLUMNS) + "".join(map(csv_line, rows))


def to_markdown(view: LayerView) -> str:
    """Each release with its sum and its classes, as GitHub renders them."""
    return "".join(_markdown(view))


def layer_table(layers: Iterable[LayerCoverage]) -> Iterator[str]:
    """A Markdown table of layer classes."""
    yield heading([(name, False) for name in ("layer", "status", "ways", "measured with")])
    for layer in layers:
        status = ": ".join(filter(None, (layer.status.value, layer.reason)))
        yield cells((layer.layer.path, status, ", ".join(layer.ways), "; ".join(_calls(layer))))


def _csv_row(report: LayerReport, layer: LayerCoverage) -> Sequence[str]:
    return (
        report.mxnet,
        layer.layer.path,
        layer.status.value,
        layer.reason,
        layer.operator,
        " ".join(layer.ways),
        layer.rule,
        "; ".join(_calls(layer)),
        layer.layer.signature,
    )


def _markdown(view: LayerView) -> Iterator[str]:
    for report, layers in view.shown:
        yield f"## Gluon of MXNet {escape(report.mxnet)}\n\n{escape(report.problem or total(report))}\n\n"
        if not report.problem:
            yield from layer_table(layers)
        if report.absent and view.status is None:
            yield f"\nNot in this release: {escape(', '.join(report.absent))}\n"
        yield "\n"


def _covered(layers: Iterable[LayerCoverage], width: int) -> Iterator[Text]:
    covered = [layer for layer in layers if layer.status is Coverage.COVERED]
    for module, members in grouped(covered, lambda layer: layer.layer.module).items():
        yield Text(f"gluon.{module}", style="bold cyan")
        for layer in members:
            words = [*", ".join(layer.ways).split(), *(f"- {layer.reason}".split() if layer.reason else ())]
            yield from hanging(f"  {layer.layer.name}  ", words, width)
            for call in _calls(layer):
                yield from hanging("      ", split_words(call), width, "dim")
        yield Text()


def _others(layers: Iterable[LayerCoverage], width: int) -> Iterator[Text]:
    """The classes that aren't covered, by reason."""
    others = [layer for layer in layers if layer.status is not Coverage.COVERED]
    for (status, reason), members in grouped(others, lambda layer: (layer.status, layer.reason)).items():
        yield from hanging("", f"{status.value}: {reason} ({len(members)})".split(), width, STYLE[status])
        yield from hanging("    ", listed(layer.layer.path for layer in members), width)
    if others:
        yield Text()


def _absent(report: LayerReport, width: int) -> Iterator[Text]:
    if report.absent:
        yield from hanging("", f"not in MXNet {report.mxnet}, though they have a rule:".split(), width)
        yield from hanging("    ", listed(report.absent), width)
        yield Text()


def _calls(layer: LayerCoverage) -> list[str]:
    return [f"{each.name}: {each.call}" for each in layer.configurations]
