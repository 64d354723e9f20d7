"""Runs at different speeds of the machine are compared at one speed, or as measured if that is impossible."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import msgspec
import numpy as np
import pytest

from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import Comparison, ComparisonOptions, Verdict
from autoperf.comparison.figures import LOWER_DECILE, MEDIAN, Scale, baseline_lines, common_quantile
from autoperf.comparison.pairs import Pair, pairs_of
from autoperf.core.clocks import INSTRUCTIONS, WALL
from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import Outcome
from autoperf.runs.run_reader import RunReader
from autoperf.runs.run_writer import RunWriter
from autoperf.runs.runfile import Machine, machine_of
from autoperf.stats.correction import typical_slope
from autoperf.stats.statistics import Correction, summarise
from tests.comparison.analysis_values import figure
from tests.values import ENVIRONMENT, HEADER, MACHINE, outcome, passed, write_run

REFERENCE = Reference("a probe", 2.0, "2026-01-01T00:00:00+00:00")
AT_REFERENCE = machine_of(ENVIRONMENT, REFERENCE)
PROCESSES, SAMPLES = 5, 12


def at_speed(slowdown: float, seed: int, *, reference: Reference = REFERENCE, factor: float = 1.0) -> list[Outcome]:
    """Forty cases on a machine slower than its reference by a factor; their own times are multiplied.

    They follow the machine as figures of their duration typically do.
    """
    rng = np.random.default_rng(seed)
    outcomes = []
    for number in range(40):
        count = PROCESSES * SAMPLES
        slope = typical_slope(WALL, 60 + 20 * number)
        samples = (60 + 20 * number) * factor * slowdown**slope * rng.normal(1, 0.005, count)
        readings = tuple((2.0 * slowdown * rng.normal(1, 0.01, count)).tolist())
        correction = Correction(Probes(readings, readings), reference, slope)
        series = summarise(samples.tolist(), 1, [SAMPLES] * PROCESSES, (), correction)
        outcomes.append(outcome(number, passed(wall=series)))
    return outcomes


def as_measured(slowdown: float) -> float:
    """The shift of the forty cases on a slower machine, without a correction."""
    return float(np.median([slowdown ** typical_slope(WALL, 60 + 20 * number) for number in range(40)]))


def compared(
    folder: Path, base: list[Outcome], new: list[Outcome], machines: tuple[Machine, Machine] | None = None
) -> Comparison:
    first, second = machines or (AT_REFERENCE, AT_REFERENCE)
    folder = Path(tempfile.mkdtemp(dir=folder))
    sides = ("base", base, first), ("new", new, second)
    first_file, second_file = (
        write_run(folder / f"{name}.ndjson", cases, machine=machine) for name, cases, machine in sides
    )
    return compare_files(first_file, second_file, ComparisonOptions())


def test_a_slower_machine_is_no_slower_build(tmp_path: Path) -> None:
    found = compared(tmp_path, at_speed(1.0, 1), at_speed(1.06, 2))
    assert {figure.verdict for figure in found.cases} == {Verdict.SAME}
    assert abs(found.shift - 1) < 0.01


def test_a_slower_build_on_a_slower_machine_is_found(tmp_path: Path) -> None:
    found = compared(tmp_path, at_speed(1.06, 1), at_speed(1.0, 2, factor=1.1))
    assert {figure.verdict for figure in found.cases} == {Verdict.SLOWER}
    assert abs(found.shift - 1.1) < 0.01


def test_a_state_far_away_makes_figures_uncertain(tmp_path: Path) -> None:
    """The slope of a case isn't known exactly: half of the speed is corrected, with a wide interval."""
    found = compared(tmp_path, at_speed(1.0, 1), at_speed(2.0, 2))
    assert {figure.verdict for figure in found.cases} == {Verdict.UNDECIDED}
    assert all(figure.low < 0.9 and figure.high > 1.1 for figure in found.cases)


def test_another_reference_of_the_same_probe_is_converted(tmp_path: Path) -> None:
    other = msgspec.structs.replace(REFERENCE, us=2.5)
    new = at_speed(1.0, 2, reference=other)
    # A slower reference makes no time longer.
    assert new[0].forward.wall_us.median == new[0].forward.wall_us.uncorrected
    found = compared(tmp_path, at_speed(1.0, 1), new, (AT_REFERENCE, machine_of(ENVIRONMENT, other)))
    assert {figure.verdict for figure in found.cases} == {Verdict.SAME}


def test_another_probe_says_nothing(tmp_path: Path) -> None:
    other = msgspec.structs.replace(REFERENCE, probe="another probe")
    machines = AT_REFERENCE, machine_of(ENVIRONMENT, other)
    found = compared(tmp_path, at_speed(1.0, 1), at_speed(1.2, 2), machines)
    assert abs(found.shift - as_measured(1.2)) < 0.01


def test_each_case_is_at_the_speed_of_its_own_machine(tmp_path: Path) -> None:
    """Half of the new cases come from a machine with another probe, and are compared as measured."""
    other = machine_of(ENVIRONMENT, msgspec.structs.replace(REFERENCE, probe="another probe"))
    cases = at_speed(1.2, 2)
    base, new = tmp_path / "base.ndjson", tmp_path / "new.ndjson"
    write_run(base, at_speed(1.0, 1), machine=AT_REFERENCE)
    with RunWriter(new, HEADER, AT_REFERENCE) as writer:
        writer.add_machine(other)
        for number, case in enumerate(cases):
            writer.add(msgspec.structs.replace(case, machine=(other if number % 2 else AT_REFERENCE).id))
    found = {figure.case: figure.ratio for figure in compare_files(base, new, ComparisonOptions()).cases}
    apart = [abs(found[case.case] - 1) > 0.04 for case in cases]
    assert apart == [bool(number % 2) for number in range(len(cases))]


def test_a_run_without_a_probe_is_compared_as_measured(tmp_path: Path) -> None:
    plain = [
        msgspec.structs.replace(
            one, forward=passed(wall=summarise(one.forward.wall_us.samples, 1, [SAMPLES] * PROCESSES))
        )
        for one in at_speed(1.0, 2)
    ]
    found = compared(tmp_path, at_speed(1.2, 1), plain, (AT_REFERENCE, MACHINE))
    assert abs(found.shift - 1 / as_measured(1.2)) < 0.01


@pytest.mark.parametrize(("slowdown", "error"), [(1.0, 0.001), (1.05, 0.006)])
def test_a_baseline_file_gives_the_same_comparison(tmp_path: Path, slowdown: float, error: float) -> None:
    """Each run file has its own slope, a comparison of whole ones a common one: they differ by some 0.1."""
    base = write_run(tmp_path / "whole.ndjson", at_speed(slowdown, 1), machine=AT_REFERENCE)
    with RunReader(base) as run:
        (tmp_path / "small.ndjson").write_text("".join(baseline_lines(run, run)))
    new = write_run(tmp_path / "new.ndjson", at_speed(1.0, 2), machine=AT_REFERENCE)
    whole, small = (
        compare_files(tmp_path / name, new, ComparisonOptions()) for name in ("whole.ndjson", "small.ndjson")
    )
    ratios = [(one.ratio, two.ratio) for one, two in zip(whole.cases, small.cases, strict=True)]
    assert all(abs(one / two - 1) < error for one, two in ratios)
    assert abs(small.shift - 1) < 0.01


def test_a_baseline_file_has_every_case_and_only_what_was_read(tmp_path: Path) -> None:
    """Kernels near the clock's step, of which a lower decile spread over it would be negative, or one that is 0."""
    readings = (2.0,) * 8
    correction = Correction(Probes(readings, readings), REFERENCE, 1.0)
    coarse = summarise([0.0, 1.0] * 4, 1, [4, 4], (), correction)
    one = Correction(Probes((2.0,), (2.0,)), REFERENCE, 1.0)
    zero = summarise([0.0], 1, [1], (), one)
    slow = summarise([9.0] * 8, 1, [4, 4], (), correction)
    outcomes = [outcome(at, passed(each)) for at, each in enumerate((coarse, zero, slow))]
    path = write_run(tmp_path / "run.ndjson", outcomes, machine=AT_REFERENCE)
    lines = path.read_text().splitlines(keepends=True)
    broken = next(at for at, line in enumerate(lines) if "exp/00000002" in line)
    lines[broken] = lines[broken].replace('"status":"measured"', '"status":"gone"')
    path.write_text("".join(lines))
    small = tmp_path / "small.ndjson"
    with RunReader(path) as run:
        assert [each.case for each in run] == ["exp/00000000", "exp/00000001"]
        small.write_text("".join(baseline_lines(run, run)))
    with RunReader(small) as again:
        assert [each.case for each in again] == ["exp/00000000", "exp/00000001"]
        assert again.end
        assert (again.end.asked, again.end.measured) == (2, 2)


def test_a_baseline_file_is_told_as_measured_too() -> None:
    (first, *_) = at_speed(1.5, 1)
    series = first.forward.wall_us
    medians = figure(series, Scale(REFERENCE, REFERENCE)).times
    reduced = msgspec.structs.replace(series, samples=medians, processes=(1,) * PROCESSES, probes=msgspec.UNSET)
    assert abs(figure(reduced).median / figure(series).median - 1) < 0.01
    twice = msgspec.structs.replace(REFERENCE, us=4.0)
    at_one, at_twice = (figure(reduced, Scale(REFERENCE, common)).median for common in (REFERENCE, twice))
    assert abs(at_twice / at_one - 2**series.slope) < 0.01


def two_states(slow_share: float, number: int = 0) -> Outcome:
    """A case with this share of each process's samples taken on a machine at half its speed.

    It follows the probe by a slope of 1.5; samples and readings scatter by 1%.
    """
    rng = np.random.default_rng(6 + number)
    slow = round(slow_share * SAMPLES)
    states = np.tile(np.repeat([2.0, 1.0], [slow, SAMPLES - slow]), PROCESSES)
    noise, before, after = np.exp(rng.normal(0.0, 0.01, (3, states.size)))
    probes = Probes(tuple((2.0 * states * before).tolist()), tuple((2.0 * states * after).tolist()))
    correction = Correction(probes, REFERENCE, 1.0)
    series = summarise((100.0 * states**1.5 * noise).tolist(), 1, [SAMPLES] * PROCESSES, (), correction)
    return outcome(number, passed(wall=series))


def compared_states(base_share: float, new_share: float) -> Pair:
    """The figure of both sides, with these shares of samples taken on a slow machine."""
    scale = Scale(REFERENCE, REFERENCE)
    (pair,) = pairs_of(two_states(base_share), two_states(new_share), ComparisonOptions(), (scale, scale))
    assert isinstance(pair, Pair)
    return pair


def test_both_sides_are_of_samples_at_reference_speed() -> None:
    pair = compared_states(0.5, 0.25)
    assert pair.base.median == pytest.approx(100.0, rel=0.02)
    assert pair.new.median == pytest.approx(100.0, rel=0.02)
    assert not pair.slope_effect


def test_an_error_of_the_slope_matters_where_the_machine_was_in_other_states() -> None:
    """No run determines the slope here, so its error is the spread of typical slopes: 0.25 times log 2."""
    apart, alike = compared_states(0.0, 1.0), compared_states(1.0, 1.0)
    assert apart.slope_effect == pytest.approx(0.25 * math.log(2.0), rel=0.05)
    assert alike.slope_effect < 0.002


def test_what_only_disturbs_some_samples_does_not_change_a_figure(tmp_path: Path) -> None:
    """Other programs slow a third of BASE's samples and two thirds of NEW's, undetected by the probe."""
    base, new = contended(share=0.3, seed=1), contended(share=0.6, seed=2)
    comparison = compared(tmp_path, base, new)
    assert {figure.verdict for figure in comparison.cases} == {Verdict.SAME}
    medians = [figure(run.forward.wall_us, Scale(REFERENCE, REFERENCE)).median for run in (base[0], new[0])]
    assert medians[1] / medians[0] > 1.1


def test_a_slowdown_is_found_beside_such_disturbance(tmp_path: Path) -> None:
    comparison = compared(tmp_path, contended(share=0.6, seed=1), contended(share=0.3, seed=2, factor=1.1))
    assert {figure.verdict for figure in comparison.cases} == {Verdict.SLOWER}
    assert abs(comparison.shift / 1.1 - 1) < 0.01


def contended(share: float, seed: int, factor: float = 1.0) -> list[Outcome]:
    """Forty cases at reference speed; other programs slow this share of the samples by a fifth to a half."""
    rng = np.random.default_rng(seed)
    outcomes = []
    for number in range(40):
        count = PROCESSES * SAMPLES
        slowed = np.tile(np.arange(SAMPLES) < share * SAMPLES, PROCESSES)
        samples = (
            (60 + 20 * number)
            * factor
            * rng.normal(1, 0.002, count)
            * np.where(slowed, rng.uniform(1.2, 1.5, count), 1)
        )
        readings = tuple((2.0 * rng.normal(1, 0.01, count)).tolist())
        correction = Correction(Probes(readings, readings), REFERENCE, 1.0)
        series = summarise(samples.tolist(), 1, [SAMPLES] * PROCESSES, (), correction)
        outcomes.append(outcome(number, passed(wall=series)))
    return outcomes


def test_the_quantile_is_one_that_both_sides_have() -> None:
    series = at_speed(1.0, 1)[0].forward.wall_us
    at_common, as_measured_ = Scale(REFERENCE, REFERENCE), Scale(REFERENCE, None)
    unprobed = msgspec.structs.replace(series, probes=msgspec.UNSET)
    in_turn = msgspec.structs.replace(series, turns=((SAMPLES,),) * PROCESSES)
    stated = msgspec.structs.replace(series, quantile=LOWER_DECILE)
    assert common_quantile(WALL, (series, series), at_common) == LOWER_DECILE
    assert common_quantile(WALL, (series, stated), at_common) == LOWER_DECILE
    for other in (unprobed, in_turn):
        assert common_quantile(WALL, (series, other), at_common) == MEDIAN
    assert common_quantile(WALL, (series, series), as_measured_) == MEDIAN
    assert common_quantile(INSTRUCTIONS, (series, series), at_common) == MEDIAN


@pytest.mark.parametrize("reduced", [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize("shares", [(1.0, 0.0), (0.0, 1.0), (0.5, 1.0), (1.0, 0.5), (0.5, 0.25), (1.0, 1.0)])
def test_a_baseline_file_counts_the_error_of_the_slope(
    tmp_path: Path, shares: tuple[float, float], reduced: tuple[bool, bool]
) -> None:
    """For any share of samples taken on a slow machine, its intervals are those of the whole file."""
    runs = [[two_states(share, number) for number in range(8)] for share in shares]
    whole = compared(tmp_path, *runs)
    small = compared(
        tmp_path, *(small_file(tmp_path, run) if is_small else run for run, is_small in zip(runs, reduced, strict=True))
    )
    matched = list(zip(whole.cases, small.cases, strict=True))
    assert all(two.low <= one.ratio <= two.high for one, two in matched)
    assert np.median([math.log(two.high / two.low) / math.log(one.high / one.low) for one, two in matched]) > 0.7


def test_a_baseline_file_of_a_reference_file_is_the_same(tmp_path: Path) -> None:
    once = small_file(tmp_path, [two_states(0.5), two_states(1.0, 1)])
    assert small_file(tmp_path, once) == once


def small_file(folder: Path, run: list[Outcome]) -> list[Outcome]:
    """The contents of a baseline file of this run."""
    folder = Path(tempfile.mkdtemp(dir=folder))
    with RunReader(write_run(folder / "whole.ndjson", run, machine=AT_REFERENCE)) as reader:
        (folder / "small.ndjson").write_text("".join(baseline_lines(reader, reader)))
    with RunReader(folder / "small.ndjson") as reader:
        return list(reader)


def test_runs_that_came_to_a_case_twice_are_surer(tmp_path: Path) -> None:
    """Both runs need visits: those of one say nothing about the other."""
    base, new = contended(share=0.3, seed=1), contended(share=0.3, seed=2)
    twice = [[msgspec.structs.replace(outcome, visit=2) for outcome in run] for run in (base, new)]

    def reach(name: str, base: list[Outcome], new: list[Outcome]) -> float:
        (tmp_path / name).mkdir()
        return float(np.median([figure.high / figure.low for figure in compared(tmp_path / name, base, new).cases]))

    once = reach("once", base, new)
    assert reach("one side", base, twice[1]) == pytest.approx(once)
    assert reach("both", *twice) < once


def test_a_baseline_file_says_that_its_run_came_to_a_case_twice(tmp_path: Path) -> None:
    twice = [msgspec.structs.replace(outcome, visit=2) for outcome in contended(share=0.3, seed=1)]
    with RunReader(write_run(tmp_path / "run.ndjson", twice, machine=AT_REFERENCE)) as run:
        lines = list(baseline_lines(run, run))
    small = tmp_path / "small.ndjson"
    small.write_text("".join(lines))
    with RunReader(small) as run:
        assert [outcome.visit for outcome in run] == [2] * len(twice)
