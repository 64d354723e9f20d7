"""`autoperf.load_hunt`: a stored hunt as a Python value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec

from autoperf.api.option_types import check_types
from autoperf.api.plots import ORANGE, Mark
from autoperf.api.results import PathText, Record, Results
from autoperf.cli.stored_reports import stored_hunt
from autoperf.core.finding import Finding
from autoperf.core.paths import expanded_path
from autoperf.reports.findings import finding_inputs
from autoperf.reports.hunt import HuntReport, sentence
from autoperf.reports.units import one_line


def load_hunt(path: PathText) -> HuntResults:
    """The findings of a hunt, from its folder or its log. Raises CaseFileError for any other file."""
    check_types({"path": path})
    results = HuntResults(expanded_path(str(path), "path"))
    results.report  # noqa: B018 - a file that is no log is an error here
    return results


@dataclass(frozen=True)
class HuntResults(Results):
    """The findings of a hunt, in its folder or its log."""

    kind = "hunt"
    _chart = "Slow inputs: actual / expected time, with 95% intervals", "times", 1.0
    path: Path

    @cached_property
    def report(self) -> HuntReport:
        """The hunt as report formats receive it. Raises CaseFileError if the log has changed."""
        return stored_hunt(self.path)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, those of one operator first, then those of each cause, costliest first."""
        return tuple(finding for _, finding in self.report.ranked)

    @property
    def records(self) -> list[Record]:
        """A dictionary for each finding, as in `hunt.json`; times are in microseconds."""
        records: list[Record] = msgspec.json.decode(self.report.document())["findings"]
        return records

    def marks(self) -> Iterator[Mark]:
        """The ratio of each finding, in the order of the report."""
        for finding in self.findings:
            name = one_line(f"{finding.operator} {finding.pass_}: {finding_inputs(finding)[0]}")
            ratio = finding.estimate
            yield Mark(name, ratio.ratio, ratio.low, ratio.high, "slow", ORANGE)

    def __len__(self) -> int:
        return len(self.report.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {sentence(self.report.findings, self.report.searched)} in {self.path}>"
