"""Operators in the tests of another project: measured, and held against a baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from autoperf.api.measurement import measure
from autoperf.api.options import converted
from autoperf.api.results import RunResults
from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import COUNT_THRESHOLD, THRESHOLD, ComparisonOptions, Gate
from autoperf.comparison.documents import answer
from autoperf.core.clocks import INSTRUCTIONS
from autoperf.core.errors import UsageError
from autoperf.counts.requests import PROGRAM

COUNTED = {"profiler": "none", "counters": INSTRUCTIONS.name, "count_by": PROGRAM}
"""The options of a measurement that only counts."""


class OperatorBenchmark:
    """The measurements of one test, whose run files are in `folder`.

    They are held against the run file `baseline`, or against those in this folder. The first of each call is kept in
    the folder `save`. The files in both have the `name` of the test, and the number of the call.
    """

    def __init__(self, folder: Path, name: str, baseline: Path | None = None, save: Path | None = None) -> None:
        self._folder, self._name, self._baseline, self._save = folder, name, baseline, save
        self._runs = self._calls = 0

    @property
    def is_skipped(self) -> bool:
        """Whether operators were measured that there is no baseline for."""
        return self._baseline is None and self._calls > 0

    def measure(self, operators: Any, inputs: Any = None, **options: Any) -> RunResults:
        """Measures as `autoperf.measure` does, with the same arguments."""
        self._runs += 1
        own: dict[str, Any] = {"progress": False, "run_file": self._folder / f"run-{self._runs}.ndjson"}
        return measure(operators, inputs, **own | options)

    def assert_not_slower(
        self,
        operators: Any,
        inputs: Any = None,
        *,
        by: Literal["times", "counts"] = "times",
        threshold: float | None = None,
        **options: Any,
    ) -> None:
        """Fails the test if an operator is slower than in the baseline, computes something else, or no longer runs.

        The other arguments are those of `measure`. By counts, it is slower if it executes more instructions, as
        valgrind counts them. By times, it is measured again, and is slower if it is so both times. `threshold` is the
        smallest share that counts, by default 0.05 of times and 0.001 of counts, of which 0 is any instruction more.
        Without a baseline the test is skipped at its end. Raises AutoperfError for mistakes, as for a
        baseline without the case.
        """
        if by not in ("times", "counts"):
            raise UsageError(f"invalid by={by!r}: expected 'times' or 'counts'")
        wanted = _options(by, converted({"threshold": threshold}).get("threshold"))
        options |= COUNTED if by == "counts" else {}
        first = self.measure(operators, inputs, **options).path
        self._calls += 1
        name = f"{self._name}-{self._calls}.ndjson"
        if self._save:
            (self._save / name).write_bytes(first.read_bytes())
        if self._baseline is None:
            return
        baseline = self._baseline / name if self._baseline.is_dir() else self._baseline
        found = compare_files(baseline, first, wanted)
        if found.summary.slower and by == "times":
            again = self.measure(operators, inputs, **options).path
            found = found.confirmed(compare_files(baseline, again, wanted))
        if found.gate is Gate.FAILS:
            pytest.fail("\n".join(answer(found)), pytrace=False)


def _options(by: str, threshold: float | None) -> ComparisonOptions:
    """The options of the comparison; a baseline may have more cases than a test measures."""
    if by == "times":
        return ComparisonOptions(threshold=THRESHOLD if threshold is None else threshold, allow_missing=True)
    least = COUNT_THRESHOLD if threshold is None else threshold
    return ComparisonOptions(metrics=(INSTRUCTIONS,), count_threshold=least, allow_missing=True)
