"""Whatever outcomes a run has, its file gives them back, and its totals add up."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoperf.core.outcome import Outcome, Status
from autoperf.reports.totals import summarise as totals_of
from autoperf.runs.run_reader import RunReader
from autoperf.stats.statistics import summarise
from tests.values import outcome, passed, write_run

words = st.text('aé中😀"\\\n\u2028 <', max_size=12)
samples = st.lists(st.floats(0.001, 1e9), min_size=1, max_size=6)
passes = st.builds(
    passed,
    st.none() | samples.map(summarise),
    samples.map(summarise),
    notes=st.lists(words, max_size=2).map(tuple),
)


@st.composite
def runs(draw: st.DrawFn) -> list[Outcome]:
    """Outcomes of every status; a measured one has samples, another one a reason in any letters."""
    statuses = draw(st.lists(st.sampled_from(Status), max_size=6))
    return [
        outcome(number, draw(passes), draw(st.none() | passes), params={"axis": draw(st.integers(-3, 3))})
        if status is Status.MEASURED
        else outcome(number, status=status, reason=draw(words))
        for number, status in enumerate(statuses)
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@given(runs())
def test_a_reader_gives_back_what_the_writer_got(folder: Path, outcomes: list[Outcome]) -> None:
    path = write_run(folder / "run.ndjson", outcomes)
    with RunReader(path) as run:
        machine = run.machines[0].id
        assert [msgspec.structs.replace(one, machine=msgspec.UNSET) for one in run] == [
            msgspec.structs.replace(one, machine=msgspec.UNSET) for one in outcomes
        ]
        assert {one.machine for one in run} <= {machine, msgspec.UNSET}
        assert run.notices == ()
    path.unlink()


@given(runs())
def test_totals_add_up(outcomes: list[Outcome]) -> None:
    total = totals_of(outcomes)
    parts = [total.measured, total.skipped, total.failed, total.crashed, total.timeout]
    assert sum(parts) == total.asked == len(outcomes)
    assert total.seconds == pytest.approx(sum(one.seconds for one in outcomes))
