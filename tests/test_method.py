"""The measuring method: recorded samples keep their results, and pages name the method that they were made by."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autoperf.core.clocks import CLOCKS
from autoperf.core.outcome import METHOD, FigureWarning, Status, since
from tests.replay import Recording, recordings

ROOT = Path(__file__).parent.parent
STAMP = re.compile(r"^Measured by method (\d+)(?:, at commit [0-9a-f]{7} of| on) \d{4}-\d\d-\d\d(.*)\.$", re.MULTILINE)
PAGES = sorted(
    page for page in (ROOT / "docs").rglob("*.md") if re.search(r"^Measured by", page.read_text("utf-8"), re.MULTILINE)
)


RECORDINGS = recordings()


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda recording: f"{recording.label}-{recording.tried.job.case}")
def test_recorded_samples_have_the_results_that_they_had(recording: Recording) -> None:
    assert (recording.method, recording.replayed()) == (METHOD, recording.results), (
        "recorded samples have other results than before. If that is wanted, raise METHOD in autoperf/core/outcome.py, "
        "run `python -m tests.replay`, and measure the pages again, or say in them that they are older. Where `agreed` "
        "alone is another, the method stays: it decides how many processes time a case, not what their figures are"
    )


def test_the_recordings_are_of_all_kinds() -> None:
    outcomes = [recording.results.outcome for recording in RECORDINGS]
    passes = [run for outcome in outcomes for run in outcome.passes.values()]
    figures = [series for run in passes for series in run.metrics.values()]
    assert {clock for run in passes for clock in run.metrics} >= set(CLOCKS)
    assert {outcome.status for outcome in outcomes} == {Status.MEASURED, Status.TIMEOUT}
    assert {warning for series in figures for warning in series.warnings} >= {
        *(FigureWarning.NOISY, FigureWarning.DISAGREE, FigureWarning.DRIFT, FigureWarning.RESOLUTION),
        *(FigureWarning.LOAD, FigureWarning.UNSETTLED, FigureWarning.CROWDED),
    }
    for has_it in (
        any(run.returns_view for run in passes),
        any(run.compile_us for run in passes),
        any(series.turns for series in figures),
        any(series.faults for series in figures),
        any(series.loops > 1 for series in figures),
        any(series.steady for series in figures),
        all(series.steady == 0 for each in RECORDINGS for run in each.results.corrected.passes.values()
            for series in run.metrics.values() if series.probes),
    ):  # fmt: skip
        assert has_it


def test_some_pages_are_of_measurements() -> None:
    assert len(PAGES) >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_that_is_older_than_the_method_says_so(page: Path) -> None:
    stamps = list(STAMP.finditer(page.read_text(encoding="utf-8")))
    assert stamps, f"expected a line like 'Measured by method {METHOD}, at commit 0123abc of 2026-11-24.'"
    for stamp in stamps:
        assert stamp[2] == since(int(stamp[1])), "its figures are of an earlier method: say so"
