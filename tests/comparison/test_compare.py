"""Two run files end to end: matched figures, changes found, and no false ones."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import msgspec
import numpy as np
import pytest

from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import (
    CHANGED,
    ComparedFigure,
    Comparison,
    ComparisonOptions,
    Gate,
    Unmatched,
    Verdict,
)
from autoperf.comparison.expectations import Acceptance, Expectations, Leave
from autoperf.comparison.figures import AS_MEASURED, baseline_lines
from autoperf.comparison.noise import strata
from autoperf.comparison.pairs import OTHER_CLASS, Pair, pairs_of
from autoperf.core.clocks import INSTRUCTIONS, METRICS, WALL
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.outcome import FigureWarning, Outcome, ResultPrint, Status
from autoperf.core.work import CodeCount
from autoperf.reports.columns import RowFilter
from autoperf.runs.run_reader import RunReader
from autoperf.runs.run_writer import RunWriter
from autoperf.runs.runfile import Machine, RunHeader, machine_of
from tests.comparison.analysis_values import simulated
from tests.values import ENVIRONMENT, HEADER, MACHINE, comparison, outcome, passed, series, steady, write_run
from tests.values import compared as compared_figure
from tools.stored_run import read_run

PLAIN = ComparisonOptions()


def compared(
    folder: Path,
    base: list[Outcome],
    new: list[Outcome],
    options: ComparisonOptions = PLAIN,
    header: RunHeader = HEADER,
    machine: Machine = MACHINE,
) -> Comparison:
    return compare_files(
        write_run(folder / "base.ndjson", base), write_run(folder / "new.ndjson", new, header, machine), options
    )


def alike(count: int, processes: int = 3) -> list[Outcome]:
    return [outcome(number, passed(steady(100.0 + number, processes))) for number in range(count)]


def shares(found: Comparison, planted: set[str]) -> tuple[float, float]:
    """The share of planted cases found slower, and the share of other cases with a change."""
    hit = {one.case for one in found.cases if one.verdict is Verdict.SLOWER}
    said = {one.case for one in found.cases if one.verdict in CHANGED}
    others = {one.case for one in found.cases} - planted
    return len(hit & planted) / max(1, len(planted)), len(said & others) / max(1, len(others))


def beside_programs(number: int, factor: float, disagreement: float, *, crowded: bool) -> Outcome:
    """A case whose five processes differ by up to `disagreement`, with the warning of other programs."""
    times = [factor * (100.0 + number) * (1 + disagreement * share) for share in (0.0, 0.2, 0.5, 0.7, 1.0)]
    figure = series(*([us, us * 1.001, us * 1.002] for us in times))
    warnings = (FigureWarning.CROWDED,) if crowded else ()
    return outcome(number, passed(msgspec.structs.replace(figure, warnings=warnings)))


@pytest.mark.parametrize(
    ("crowded", "factor", "disagreement", "verdict", "gate"),
    [
        ("", 1.5, 0.0, Verdict.SLOWER, Gate.FAILS),
        ("new", 18.0, 0.3, Verdict.SLOWER, Gate.FAILS),
        ("new", 1.5, 0.0, Verdict.SLOWER, Gate.FAILS),
        ("new", 1.5, 0.3, Verdict.UNDECIDED, Gate.INCONCLUSIVE),
        ("new", 1.0, 0.0, Verdict.SAME, Gate.PASSES),
        ("base", 1.5, 0.3, Verdict.SLOWER, Gate.FAILS),
        ("base", 1.0, 0.3, Verdict.UNDECIDED, Gate.INCONCLUSIVE),
        ("base", 1 / 18, 0.3, Verdict.FASTER, Gate.PASSES),
        ("both", 18.0, 0.3, Verdict.SLOWER, Gate.FAILS),
    ],
)
def test_crowding_excuses_only_what_it_can_explain(
    tmp_path: Path, crowded: str, factor: float, disagreement: float, verdict: Verdict, gate: Gate
) -> None:
    """Processes that other programs made slower disagree; those that agree show the time of the build."""
    base, new = (
        [beside_programs(number, times, disagreement, crowded=crowded in (name, "both")) for number in range(8)]
        for name, times in (("base", 1.0), ("new", factor))
    )
    found = compared(tmp_path, base, new)
    assert {figure.verdict for figure in found.cases} == {verdict}
    assert {figure.crowded for figure in found.cases} == {verdict is Verdict.UNDECIDED}
    assert found.gate is gate


def test_sides_in_turn_have_the_same_programs_beside_them(tmp_path: Path) -> None:
    base, new = ([beside_programs(n, times, 0.3, crowded=True) for n in range(8)] for times in (1.0, 1.5))
    header = msgspec.structs.replace(HEADER, in_turn="token")
    first = write_run(tmp_path / "base", base, header)
    found = compare_files(first, write_run(tmp_path / "new", new, header), PLAIN)
    assert not any(figure.crowded for figure in found.cases)
    assert all(figure.low > 1 for figure in found.cases)


def undecided(number: int, ratio: float, low: float, high: float) -> ComparedFigure:
    figure = compared_figure(f"exp/{number}", "forward", "wall", ratio, Verdict.UNDECIDED)
    return msgspec.structs.replace(figure, low=low, high=high, q=0.3)


@pytest.mark.parametrize(
    ("doubtful", "gate", "listed"),
    [
        ([(1.03, 0.98, 1.08)] * 5, Gate.PASSES, 0),
        ([(1.08, 0.98, 1.18)] * 6, Gate.INCONCLUSIVE, 6),
        ([(0.95, 0.85, 1.04)] * 12, Gate.PASSES, 0),
        ([(18.0, 0.9, 360.0)], Gate.INCONCLUSIVE, 1),
        ([(1.0, float("nan"), float("nan"))] * 6, Gate.INCONCLUSIVE, 0),
    ],
)
def test_a_gate_passes_only_what_it_has_seen(
    doubtful: list[tuple[float, float, float]], gate: Gate, listed: int
) -> None:
    """Of 20 measurements these are undecided for noise or few samples, and the others are the same."""
    open_ones = [undecided(number, *values) for number, values in enumerate(doubtful)]
    same = [compared_figure(f"exp/{n}", "forward", "wall", 1.0, Verdict.SAME) for n in range(len(doubtful), 20)]
    found = comparison(*open_ones, *same)
    assert found.gate is gate
    assert len(found.brief) == listed


@pytest.mark.parametrize(("spread", "disturbed"), [(0.01, 0.0), (0.01, 0.1), (0.02, 0.3)])
@pytest.mark.parametrize("processes", [1, 3])
def test_the_same_against_itself_is_not_judged(tmp_path: Path, processes: int, spread: float, disturbed: float) -> None:
    rng = np.random.default_rng(21)
    base, new = (simulated(rng, 300, processes, spread=spread, disturbed=disturbed) for _ in range(2))
    assert shares(compared(tmp_path, base, new), set())[1] <= 0.01


@pytest.mark.parametrize(("disturbed", "share"), [(0.0, 0.5), (0.1, 0.5), (0.05, 0.05)])
def test_ten_percent_are_found_with_three_processes(tmp_path: Path, disturbed: float, share: float) -> None:
    rng = np.random.default_rng(22)
    slow = rng.random(300) < share
    base = simulated(rng, 300, 3, spread=0.01, disturbed=disturbed)
    new = simulated(rng, 300, 3, spread=0.01, disturbed=disturbed, factors=np.where(slow, 1.10, 1.0))
    planted = {new[number].case for number in np.flatnonzero(slow)}
    found, false = shares(compared(tmp_path, base, new), planted)
    assert found >= 0.95
    assert false <= 0.02


def test_equal_runs_with_little_noise_are_the_same(tmp_path: Path) -> None:
    found = compared(tmp_path, alike(20), alike(20))
    assert found.summary.same == 20
    assert found.notices == ()
    assert found.shift == pytest.approx(1, abs=1e-3)


def test_what_is_faster_is_called_so(tmp_path: Path) -> None:
    new = alike(20)
    new[3] = outcome(3, passed(steady(80.0)))
    found = compared(tmp_path, alike(20), new)
    (one,) = [one for one in found.cases if one.verdict is Verdict.FASTER]
    assert one.case == "exp/00000003"
    assert one.ratio == pytest.approx(80 / 103, rel=0.01)
    assert one.low < one.ratio < one.high < 1
    assert (one.base_processes, one.new_processes, one.inputs) == (3, 3, "data (4, 1000)")


def test_a_threshold_keeps_small_changes_out(tmp_path: Path) -> None:
    new = [outcome(number, passed(steady(1.15 * (100 + number)))) for number in range(20)]
    assert compared(tmp_path / ".", alike(20), new, ComparisonOptions(threshold=0.2)).summary.slower == 0


def test_one_process_each_is_judged_by_what_stands_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(23)
    factors = np.ones(200)
    factors[7] = 3.0
    base = simulated(rng, 200, 1, spread=0.01, disturbed=0.02)
    found = compared(tmp_path, base, simulated(rng, 200, 1, spread=0.01, disturbed=0.02, factors=factors))
    assert {one.case for one in found.cases if one.verdict in CHANGED} <= {"exp/00000007"}
    assert found.summary.same == 0
    assert any("one process can't show" in notice and "this comparison itself" in notice for notice in found.notices)


def test_a_stated_margin_decides_for_one_process(tmp_path: Path) -> None:
    new = [outcome(number, passed(steady((1.12 if number < 5 else 1.03) * (100 + number), 1))) for number in range(20)]
    found = compared(tmp_path, alike(20, 1), new, ComparisonOptions(margin=0.04))
    assert (found.summary.slower, found.summary.undecided) == (5, 15)
    assert any("is from the margin" in notice for notice in found.notices)


def test_an_aa_run_says_what_noise_is(tmp_path: Path) -> None:
    """Half of the cases take 1.4 times as long: with one process each, only a calm A/A run proves it."""
    rng = np.random.default_rng(24)
    slow = np.arange(200) % 2 == 0

    def run(name: str, factors: np.ndarray | None = None) -> Path:
        return write_run(tmp_path / name, simulated(rng, 200, 1, spread=0.004, disturbed=0.0, factors=factors))

    base, new, one, other = run("base"), run("new", np.where(slow, 1.4, 1.0)), run("one"), run("other")
    assert compare_files(base, new, PLAIN).summary.slower == 0
    found = compare_files(base, new, PLAIN, (one, other))
    hit, false = shares(found, {f"exp/{number:08x}" for number in np.flatnonzero(slow)})
    assert hit > 0.95
    assert false <= 0.02
    assert any("an A/A run" in notice for notice in found.notices)


def test_coarse_clocks_are_given_the_benefit_of_the_doubt(tmp_path: Path) -> None:
    """4 us against 5 us, by a clock of whole microseconds, which may account for half a step."""
    whole = [outcome(n, passed(series(*[[4.0] * 9] * 3))) for n in range(20)]
    new = [outcome(n, passed(series(*[[5.0] * 9] * 3))) for n in range(20)]
    found = compared(tmp_path, whole, new)
    assert all(one.low < 1.25 / 1.12 for one in found.cases)
    assert all(one.ratio == pytest.approx(1.25, rel=0.01) for one in found.cases)


def test_what_has_no_partner_is_listed_with_its_reason(tmp_path: Path) -> None:
    both = passed(steady(50.0), steady(60.0))
    base = [
        outcome(0, both),
        outcome(1, both),
        outcome(2, both, both),
        outcome(3, both),
        outcome(4, status=Status.SKIPPED, reason="too large"),
    ]
    new = [
        outcome(0, both),
        outcome(2, both),
        outcome(3, status=Status.CRASHED, reason="SIGSEGV"),
        outcome(4, status=Status.SKIPPED, reason="too large"),
        outcome(5, both),
    ]
    found = compared(tmp_path, base, new)
    assert [(one.case[-1], one.missing, one.pass_, one.clock, one.reason) for one in found.unmatched] == [
        ("2", "new", "backward", "kernel", "no backward kernel time"),
        ("2", "new", "backward", "wall", "no backward wall time"),
        ("3", "new", None, None, "crashed: SIGSEGV"),
        ("4", "both", None, None, "skipped: too large"),
        ("5", "base", None, None, "absent"),
        ("1", "new", None, None, "absent"),
    ]
    assert isinstance(found.unmatched[0], Unmatched)
    assert {one.case[-1] for one in found.cases} == {"0", "2"}
    assert "1 case that base measured failed, crashed or timed out in new" in found.notices


def lost(found: Comparison) -> list[tuple[str, str, str]]:
    return [(one.case[-1], one.pass_ or "", one.reason) for one in found.lost]


def test_what_base_measured_and_new_lacks_is_lost(tmp_path: Path) -> None:
    whole, half = passed(steady(50.0), steady(60.0)), passed(None, steady(60.0))
    base = [
        *(outcome(number, whole, whole) for number in range(6)),
        *(outcome(n, status=Status.SKIPPED) for n in (6, 7)),
    ]
    new = [
        outcome(0, whole, whole),
        outcome(1, whole),
        outcome(2, half, whole),
        outcome(3, status=Status.SKIPPED, reason="too large"),
        outcome(4, status=Status.CRASHED, reason="SIGSEGV"),
        outcome(6, status=Status.SKIPPED, reason="too large"),
        outcome(8, whole),
    ]
    found = compared(tmp_path, base, new)
    crash = ("4", "", "crashed: SIGSEGV")
    assert lost(found) == [
        ("1", "backward", "no backward kernel time"),
        ("1", "backward", "no backward wall time"),
        ("2", "forward", "no forward kernel time"),
        ("3", "", "skipped: too large"),
        crash,
        ("5", "", "absent"),
    ]
    assert found.gate is Gate.FAILS
    assert found.notices[:2] == (
        "1 case that base measured failed, crashed or timed out in new",
        "2 cases and 3 figures that base measured are missing in new: exp; --allow-missing is for a run that measured "
        "less on purpose",
    )
    (other := tmp_path / "other").mkdir()
    assert lost(compared(other, base, new, ComparisonOptions(allow_missing=True))) == [crash]


def test_a_run_in_which_everything_crashed_is_no_mistake(tmp_path: Path) -> None:
    found = compared(tmp_path, alike(2), [outcome(n, status=Status.CRASHED, reason="SIGSEGV") for n in range(2)])
    assert (found.cases, found.shift, len(found.lost)) == ((), 1.0, 2)


def test_figures_that_are_not_compared_are_not_lost(tmp_path: Path) -> None:
    """A case without a backward pass may be absent in new if only backward passes are compared."""
    whole = passed(steady(50.0), steady(60.0))
    base = [outcome(0, whole, whole), outcome(1, whole), outcome(2, whole)]
    new = [outcome(0, whole, whole), outcome(1, status=Status.SKIPPED)]
    assert compared(tmp_path, base, new, ComparisonOptions(passes=("backward",))).gate is Gate.PASSES
    (other := tmp_path / "other").mkdir()
    assert len(lost(compared(other, base, new, ComparisonOptions(passes=("forward",))))) == 2


def test_passes_and_clocks_can_be_chosen(tmp_path: Path) -> None:
    both = passed(steady(50.0), steady(60.0))
    run = [outcome(0, both, both)]
    found = compared(tmp_path, run, run, ComparisonOptions(passes=("backward",), metrics=(WALL,)))
    assert [(one.pass_, one.clock) for one in found.cases] == [("backward", "wall")]


def test_nothing_in_common_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no figure in common"):
        compared(tmp_path, [outcome(0, passed(steady(5.0)))], [outcome(1, passed(steady(5.0)))])


def test_nothing_in_common_has_the_reason_of_the_cases_that_both_runs_have(tmp_path: Path) -> None:
    skipped = [outcome(0, status=Status.SKIPPED, reason="no int8"), outcome(1, status=Status.SKIPPED, reason="no int8")]
    measured = [outcome(0, passed(steady(5.0))), outcome(1, passed(steady(5.0)))]
    with pytest.raises(UsageError, match=r"to compare: exp \(common\) and 1 more in .*base.ndjson: skipped: no int8$"):
        compared(tmp_path, skipped, measured)


def test_an_aa_run_with_nothing_in_common_is_a_mistake(tmp_path: Path) -> None:
    one = write_run(tmp_path / "one.ndjson", alike(2))
    other = write_run(tmp_path / "other.ndjson", [outcome(9, passed(steady(5.0)))])
    with pytest.raises(UsageError, match="no A/A run"):
        compare_files(one, one, PLAIN, (one, other))


def test_processes_that_do_not_add_up_are_named(tmp_path: Path) -> None:
    wrong = msgspec.structs.replace(steady(5.0), processes=(1, 1))
    with pytest.raises(
        UsageError, match=r"new.ndjson, line 3: invalid counts .* expected a sum of 9; the line is left out"
    ):
        compared(tmp_path, alike(1), [outcome(0, passed(wrong))])
    (some_folder := tmp_path / "two").mkdir()
    found = compared(some_folder, alike(2), [outcome(0, passed(wrong)), *alike(2)[1:]])
    assert {one.case for one in found.cases} == {"exp/00000001"}
    assert any("line 3: invalid counts" in notice for notice in found.notices)


def test_a_file_against_itself_is_allowed_and_said(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run.ndjson", alike(3))
    assert f"{path} is compared with itself" in compare_files(path, path, PLAIN).notices


def test_a_shift_that_all_have_in_common_is_said(tmp_path: Path) -> None:
    new = [outcome(number, passed(steady(1.04 * (100 + number)))) for number in range(30)]
    assert any("over all figures the median ratio is 1.040" in n for n in compared(tmp_path, alike(30), new).notices)


def test_headers_that_differ_are_told(tmp_path: Path) -> None:
    other = msgspec.structs.replace(
        ENVIRONMENT,
        machine="laptop",
        processor=msgspec.structs.replace(ENVIRONMENT.processor, usable=4, governors=()),
        settings={"OMP_NUM_THREADS": "1", "MXNET_EXEC": "x", "AUTOPERF_CACHE": "/somewhere"},
        mxnet={"version": "1.9.1", "threads": 1, "gpus": 0, "features": {"MKLDNN": False}},
        load=(3.0, 1.0, 1.0),
    )
    options = {"settings": {"profiler": "native", "runs": 7, "timeout": 5.0}}
    header = msgspec.structs.replace(HEADER, autoperf="0.2.0", options=options)
    assert compared(tmp_path, alike(2), alike(2), header=header, machine=machine_of(other)).notices == (
        "autoperf: base 0.1.0, new 0.2.0",
        "machine: base bench, new laptop",
        "usable processors: base 2, new 4",
        "governors: base performance, new unknown",
        "OMP_NUM_THREADS: base 2, new 1",
        "MXNet's threads: base 2, new 1",
        "MXNet's feature MKLDNN: base True, new False",
        "setting runs: base None, new 7",
        "MXNET_EXEC: base not set, new x",
    )


def test_a_function_of_numpy_is_compared_under_its_names_in_two_releases(tmp_path: Path) -> None:
    def results(mean: float) -> tuple[ResultPrint, ...]:
        return (ResultPrint("output", (1, 1000), "float32", 1e-5, least=mean, largest=mean, mean=mean, rms=mean),)

    old, new, other = (
        msgspec.structs.replace(outcome(0, passed(steady(us))), case=f"{name}/1", operator=name, results=results(us))
        for name, us in (("_np_max", 10.0), ("_npi_max", 20.0), ("_npi_min", 30.0))
    )
    for folder in ("one", "apart", "both"):
        (tmp_path / folder).mkdir()
    found = compared(tmp_path / "one", [old], [new])
    assert {(one.case, round(one.base_us), round(one.new_us)) for one in found.cases} == {("_npi_max/1", 10, 20)}
    assert (found.unmatched, found.summary.slower) == ((), len(found.cases))
    assert found.different == ()
    assert "1 function of np under two names, whose results aren't compared: _np_max _npi_max" in found.notices
    apart = compared(tmp_path / "apart", [old, *alike(1)], [new, other, *alike(1)])
    assert {entry.case for entry in apart.unmatched} == {"_npi_min/1"}
    both = compared(tmp_path / "both", [old, new], [old, new])
    assert {(one.case, round(one.base_us)) for one in both.cases} == {("_np_max/1", 10), ("_npi_max/1", 20)}


def test_a_load_during_most_figures_of_a_side_is_a_notice(tmp_path: Path) -> None:
    series_beside = msgspec.structs.replace(steady(100.0), warnings=(FigureWarning.LOAD,))
    told = "other programs used the processors during {} of 4 figures of base and {} of new".format
    kernels = steady(100.0), series_beside
    wall, both = ([outcome(number, passed(kernel, series_beside)) for number in range(2)] for kernel in kernels)
    (tmp_path / "few").mkdir()
    (tmp_path / "many").mkdir()
    assert compared(tmp_path / "few", wall, wall).notices == ()
    assert told(2, 4) in compared(tmp_path / "many", wall, both).notices


def test_times_on_other_classes_of_machines_are_no_pair_and_counts_are(tmp_path: Path) -> None:
    counted = CodeCount("valgrind 3.19", (), {"operator": 1000}, "digest")
    other_processor = msgspec.structs.replace(ENVIRONMENT.processor, model="Other CPU")
    other = machine_of(msgspec.structs.replace(ENVIRONMENT, machine="other", processor=other_processor))

    def run(name: str, *machines: Machine) -> Path:
        with RunWriter(tmp_path / name, HEADER, MACHINE) as writer:
            writer.add_machine(other)
            for number, machine in enumerate(machines):
                both = passed(steady(50.0), instructions=series([1000.0]), code=counted)
                writer.add(outcome(number, both, machine=machine.id))
            writer.finish(1.0)
        return tmp_path / name

    base, new = run("base", MACHINE, MACHINE, other, other), run("new", MACHINE, other, other, MACHINE)
    found = compare_files(base, new, PLAIN)
    assert [one.case[-1] for one in found.cases] == ["0", "2"]
    assert [(one.case[-1], one.reason, one.lost) for one in found.unmatched] == [
        ("1", OTHER_CLASS, False),
        ("3", OTHER_CLASS, False),
    ]
    assert (found.base_provenance.machine, found.base_provenance.processor) == (
        "bench, other",
        "Other CPU, Some CPU @ 2.50GHz",
    )
    assert found.notices == ()
    counts = compare_files(base, new, ComparisonOptions(metrics=(INSTRUCTIONS,)))
    assert [(one.case[-1], one.verdict.value) for one in counts.cases] == [(f"{number}", "same") for number in range(4)]
    whole = compare_files(base, write_run(tmp_path / "one", alike(4)[2:], machine=other), PLAIN)
    assert whole.notices[1:] == (
        "machine: base bench, other, new other",
        "processor: base Other CPU, Some CPU @ 2.50GHz, new Other CPU",
    )


def test_what_is_expected_is_small_and_says_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(25)
    whole = write_run(tmp_path / "run.ndjson", simulated(rng, 50, 3, spread=0.01, disturbed=0.1))
    new = write_run(tmp_path / "new.ndjson", simulated(rng, 50, 3, spread=0.01, disturbed=0.1))
    small = tmp_path / "baseline.ndjson"
    with RunReader(whole) as run:
        small.write_text("".join(baseline_lines(run, run)))
    assert small.stat().st_size < whole.stat().st_size
    exact, condensed = (compare_files(path, new, PLAIN) for path in (whole, small))
    assert condensed.summary == exact.summary
    assert [one.ratio for one in condensed.cases] == pytest.approx([one.ratio for one in exact.cases], rel=1e-3)


def test_memory_does_not_grow_with_the_samples(tmp_path: Path) -> None:
    """Ten times the samples; only one case of each file is in memory at a time."""

    def peak(samples: int) -> int:
        folder = tmp_path / str(samples)
        folder.mkdir()
        run = [outcome(n, passed(series(*([5.5 + n] * samples for _ in range(3))))) for n in range(100)]
        files = [write_run(folder / name, run) for name in ("base.ndjson", "new.ndjson")]
        tracemalloc.start()
        compare_files(files[0], files[1], PLAIN)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(1000) < 1.5 * peak(100)


def counted(number: int, factor: float = 1.0, time: float = 1.0) -> Outcome:
    wall, instructions = steady((50.5 + number) * time), steady(1e6 * (1 + number) * factor)
    return outcome(number, msgspec.structs.replace(passed(wall=wall), instructions=instructions))


def test_counts_are_compared_on_request(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base.ndjson", map(counted, range(40)))
    new = write_run(tmp_path / "new.ndjson", [counted(number, 1.2) for number in range(40)])
    assert {case.clock for case in compare_files(base, new, ComparisonOptions()).cases} == {"wall"}
    found = compare_files(base, new, ComparisonOptions(metrics=(INSTRUCTIONS,)))
    assert {(case.clock, case.verdict) for case in found.cases} == {("instructions", Verdict.SLOWER)}
    assert found.cases[3].ratio == pytest.approx(1.2, rel=0.01)
    assert found.cases[3].base_us == pytest.approx(4e6, rel=0.01)


def test_a_shift_of_counts_is_never_the_machine(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base.ndjson", map(counted, range(40)))
    counts = write_run(tmp_path / "counts.ndjson", [counted(number, 1.2) for number in range(40)])
    times = write_run(tmp_path / "times.ndjson", [counted(number, time=1.2) for number in range(40)])
    options = ComparisonOptions(metrics=METRICS)
    assert not any("the machine's" in notice for notice in compare_files(base, counts, options).notices)
    assert any("the machine's" in notice for notice in compare_files(base, times, options).notices)


def test_counts_that_neither_run_has_are_asked_for(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run.ndjson", [outcome(0, passed(steady(10.0)))])
    with pytest.raises(UsageError, match="both runs need --counters instructions"):
        compare_files(run, run, ComparisonOptions(metrics=(INSTRUCTIONS,)))


def test_a_slowdown_that_is_undecided_may_still_occur(tmp_path: Path) -> None:
    known = Acceptance(operator="exp", ratio=1.2, reason="it checks its bounds")
    options = ComparisonOptions(expectations=Expectations(accepted=(known,)))
    base, new = ([beside_programs(0, times, 0.3, crowded=True)] for times in (1.0, 1.2))
    found = compared(tmp_path, base, new, options)
    assert found.summary.undecided == 1
    assert not any("no longer occurs" in notice for notice in found.notices)


def test_a_function_that_may_differ_is_named_as_in_python(tmp_path: Path) -> None:
    leave = Expectations(different=(Leave(operator="np.mean", reason="summed in float64"),))
    prints = [(ResultPrint("output", (1, 1000), "float32", 1e-5, mean=mean),) for mean in (1.0, 3.0)]
    base, new = ([outcome(0, passed(steady(10.0)), operator="_npi_mean", results=each)] for each in prints)
    found = compared(tmp_path, base, new, ComparisonOptions(expectations=leave, allow_different=leave.reasons))
    assert [entry.allowed for entry in found.different] == ["summed in float64"]
    assert not any("np.mean" in notice for notice in found.notices)
    assert leave.allows("_npi_mean")


def test_a_slowdown_of_a_function_is_accepted_by_its_name_in_python(tmp_path: Path) -> None:
    accepted = Expectations(accepted=(Acceptance(operator="np.mean", ratio=1.6, reason="summed in float64"),))
    base, new = ([outcome(0, passed(steady(times)), operator="_npi_mean")] for times in (10.0, 15.0))
    found = compared(tmp_path, base, new, ComparisonOptions(expectations=accepted))
    assert {figure.verdict for figure in found.cases} == {Verdict.ACCEPTED}


RESULTS = ComparisonOptions(metrics=())


def test_runs_without_a_time_name_what_compares_their_counts(tmp_path: Path) -> None:
    header = msgspec.structs.replace(HEADER, options={"settings": {"counters": ["instructions"]}})
    counts = [outcome(0, passed(instructions=series([1000.0])))]
    with pytest.raises(UsageError, match="`autoperf compare --clock none --counters instructions` compares their"):
        compare_files(write_run(tmp_path / "a", counts, header), write_run(tmp_path / "b", counts, header), PLAIN)


def test_equal_results_of_selected_cases_are_counted(tmp_path: Path) -> None:
    """Without clocks, no measurement has the names of these cases."""
    run = [outcome(number, passed(steady(10.0)), operator=name) for number, name in enumerate(["exp", "exp", "log"])]
    paths = [write_run(tmp_path / name, run) for name in ("base", "new")]
    found = compare_files(paths[0], paths[1], RESULTS, rows=RowFilter(("exp",)))
    assert (found.equal_results, found.gate) == (2, Gate.PASSES)
    with pytest.raises(UnknownNameError, match="unknown operator of this run 'tan'; known are exp, log"):
        compare_files(paths[0], paths[1], RESULTS, rows=RowFilter(("exp", "tan")))


def test_two_frameworks_in_turn_have_compared_what_both_measured(tmp_path: Path) -> None:
    skipped = outcome(1, status=Status.SKIPPED, reason="no implementation")
    one, other = (msgspec.structs.replace(HEADER, in_turn="token", framework=name) for name in ("PyTorch", "JAX"))
    base = write_run(tmp_path / "base", [outcome(n, passed(steady(10.0)), results=()) for n in range(2)], one)
    new = write_run(tmp_path / "new", [outcome(0, passed(steady(10.0)), results=()), skipped], other)
    assert compare_files(base, new, RESULTS).equal_results == 1


def test_results_that_neither_run_has_are_no_option_s_fault(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [outcome(0, passed(steady(10.0)), results=())])
    with pytest.raises(UsageError, match=r"; results aren't compared: neither run has fingerprints of them$"):
        compare_files(run, run, RESULTS)


def test_counts_and_times_share_no_noise() -> None:
    """For any number and names of either."""
    both = ComparisonOptions(metrics=METRICS)
    matched = [
        pair
        for number in range(10)
        for pair in pairs_of(counted(number), counted(number), both, (AS_MEASURED, AS_MEASURED))
        if isinstance(pair, Pair)
    ]
    found = [{matched[row].clock for row in rows} for rows in strata(matched, range(len(matched)))]
    assert found == [{WALL}, {INSTRUCTIONS}]


@pytest.mark.parametrize(("short", "middle", "long"), [(40, 0, 5), (5, 0, 40), (40, 5, 5), (5, 40, 5), (3, 3, 3)])
def test_a_small_stratum_is_merged_with_its_neighbour(short: int, middle: int, long: int) -> None:
    matched = [
        pair
        for us, number in ((10.0, short), (100.0, middle), (5000.0, long))
        for run in [outcome(0, passed(steady(us)))] * number
        for pair in pairs_of(run, run, ComparisonOptions(), (AS_MEASURED, AS_MEASURED))
        if isinstance(pair, Pair)
    ]
    everything = range(len(matched))
    assert list(strata(matched, everything)) == [list(everything)]
    assert [len(rows) for rows in strata(matched, everything, merged=False)] == list(
        filter(None, (short, middle, long))
    )


def test_expected_counts_are_kept(tmp_path: Path) -> None:
    with RunReader(write_run(tmp_path / "run.ndjson", [counted(0), outcome(1, passed(steady(10.0)))])) as run:
        lines = list(baseline_lines(run, run))
    (tmp_path / "baseline.ndjson").write_text("".join(lines))
    first, second = read_run(tmp_path / "baseline.ndjson").outcomes
    assert first.forward.instructions.samples == pytest.approx([1e6] * 3, rel=1e-3)
    assert second.forward.series(INSTRUCTIONS) is None
    assert '"instructions"' not in lines[3]
