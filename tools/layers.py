"""Fills docs/layers.md with every layer class of Gluon, and how each is covered.

python tools/layers.py                   # --check: exits with 1 if the installed release has other classes
python tools/layers.py --next PATH       # another release too: the folder of a whole package of MXNet 2.0.0b1
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence

from page_blocks import DOCS, with_block

from autoperf.core.coverage import Coverage
from autoperf.core.layer_coverage import LayerCoverage, LayerReport
from autoperf.pipeline.layer_coverage import layer_report
from autoperf.pipeline.release import open_release
from autoperf.reports.layer_coverage import layer_table, total
from autoperf.reports.layout import grouped
from autoperf.reports.markdown import cells, heading

PAGE = DOCS / "layers.md"


def report_of(hint: str | None) -> LayerReport:
    """The layers of a release."""
    with open_release(hint) as release:
        return layer_report(release)


def classes(report: LayerReport) -> str:
    """The sum of a release's classes, the covered ones, and the others by reason."""
    covered = [layer for layer in report.layers if layer.status is Coverage.COVERED]
    parts = [f"MXNet {report.mxnet}: {total(report)}.\n\n", *layer_table(covered), "\n", *_others(report.layers)]
    return "".join(parts).rstrip()


def later(report: LayerReport) -> str:
    """The sum of another release's classes, and where they differ by what the rules say."""
    uncovered = [layer.layer.path for layer in report.layers if layer.status is Coverage.UNCOVERED]
    new = [path for path in report_of(None).absent if path not in report.absent]
    parts = [
        f"MXNet {report.mxnet}: {total(report)}.",
        f"It has {_listed(new)} too.",
        f"It doesn't have {_listed(report.absent)}.",
    ]
    return "\n".join([*parts, *([f"Uncovered: {_listed(uncovered)}."] if uncovered else [])])


def main(arguments: Sequence[str]) -> int:
    """Writes the page, or with --check compares it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--next", metavar="PATH")
    options = parser.parse_args(arguments)
    before = PAGE.read_text(encoding="utf-8")
    text = with_block(before, "classes", classes(report_of(None)))
    if options.next:
        text = with_block(text, "next", later(report_of(options.next)))
    if options.check:
        return int(text != before)
    PAGE.write_text(text, encoding="utf-8")
    return 0


def _others(layers: Iterable[LayerCoverage]) -> Iterator[str]:
    others = [layer for layer in layers if layer.status is not Coverage.COVERED]
    yield heading([("not measured as layers", False), ("because", False)])
    for reason, members in grouped(others, lambda layer: layer.reason).items():
        yield cells((", ".join(layer.layer.path.removeprefix("gluon.") for layer in members), reason))


def _listed(paths: Sequence[str]) -> str:
    return ", ".join(f"`{path}`" for path in paths)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
