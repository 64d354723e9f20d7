"""docs/frameworks.md is what its tool makes of docs/frameworks.ndjson; its rankings begin with what costs most."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.core.outcome import METHOD
from tests.forked_program import Program
from tools.framework_page import MIN_COST_US, by_category, coverage, page, ranked, totals, without_times
from tools.framework_times import (
    FIGURES,
    REGISTERED,
    CaseTimes,
    Figure,
    Measured,
    Setup,
    Step,
    Times,
    TimesHeader,
    collect,
    dispatch_us,
    read_times,
    write_times,
)
from tools.frameworks import DATA, PAGE, every_step, steps

SETUP = Setup("1.9.1", 1)
KERNELS, CALLS = Figure("forward", "kernel", "torch"), Figure("forward", "python", "torch")
BACKWARD = Figure("backward", "kernel", "torch")
OF_NUMPY = Figure("forward", "python", "numpy")
SIZE = 500_000


def header(**changes: object) -> TimesHeader:
    covered = ({"torch": REGISTERED, "numpy": REGISTERED, "jax": REGISTERED},)
    made = TimesHeader(
        method=METHOD, commit="0123abc", date="2026-11-25", processor="AMD EPYC", processors=2, options="--draws 0",
        versions={"torch": "2.13.0"}, setups=(SETUP,), figures=FIGURES, covered=covered, reasons=(),
    )  # fmt: skip
    return msgspec.structs.replace(made, **changes)


def case(operator: str, times: dict[Figure, Times] | Times, category: str = "unary", **more: object) -> CaseTimes:
    given = {KERNELS: times} if isinstance(times, Times) else times
    return CaseTimes(
        f"{operator}/1", category, operator, "data (256, 256)", (tuple(map(given.get, FIGURES)),),
        **{"kernels": {"forward mxnet": (operator,), "forward torch": (f"aten::{operator}",)}, **more},
    )  # fmt: skip


def losers(*cases: CaseTimes) -> list[str]:
    return [entry.case.operator for entry in ranked(cases, losses=True)]


def winners(*cases: CaseTimes) -> list[str]:
    return [entry.case.operator for entry in ranked(cases, losses=False)]


@pytest.fixture(scope="module")
def measured() -> Measured:
    return read_times(DATA)


def test_the_page_is_what_the_tool_makes_of_the_data(measured: Measured) -> None:
    assert PAGE.read_text(encoding="utf-8") == page(measured)


def test_the_data_is_small_and_keeps_no_path(measured: Measured) -> None:
    assert DATA.stat().st_size < SIZE
    assert b"/home/" not in DATA.read_bytes()
    assert measured.header.figures == FIGURES
    assert measured.cases


def test_large_ratios_of_short_calls_are_no_losses() -> None:
    short = case("short", Times(10.0, 0.5, 1.01))
    long = case("long", Times(1000.0, 800.0, 1.01))
    assert losers(short, long) == ["long"]
    assert losers(case("enough", Times(MIN_COST_US + 5.0, 5.0, 1.01))) == ["enough"]


def test_losses_are_ranked_by_the_ratio_that_is_certain() -> None:
    wide, narrow, uncertain = (
        case("wide", Times(900.0, 100.0, 4.0)),
        case("narrow", Times(300.0, 100.0, 1.01)),
        case("uncertain", Times(200.0, 100.0, 2.5)),
    )
    assert losers(uncertain, wide, narrow) == ["narrow", "wide"]


def test_wins_are_ranked_alike() -> None:
    certain, wide = case("certain", Times(100.0, 300.0, 1.01)), case("wide", Times(100.0, 900.0, 4.0))
    loss = case("loss", Times(300.0, 100.0, 1.01))
    assert winners(loss, wide, certain) == ["certain", "wide"]
    assert losers(loss, wide, certain) == ["loss"]


def test_both_passes_are_ranked() -> None:
    both = case("exp", {KERNELS: Times(200.0, 100.0, 1.01), BACKWARD: Times(900.0, 100.0, 1.01)})
    assert [entry.pass_ for entry in ranked([both], losses=True)] == ["backward", "forward"]


def test_operators_with_the_same_kernels_in_pytorch_are_one_loss() -> None:
    kernels = {"forward torch": ("aten::exp",)}
    first = case("exp", Times(300.0, 100.0, 1.01), kernels=kernels)
    second = case("_npi_exp", Times(299.0, 100.0, 1.01), kernels=kernels)
    elsewhere = case("other", Times(200.0, 100.0, 1.01), "random", kernels=kernels)
    assert [(entry.case.operator, entry.alike) for entry in ranked([second, elsewhere, first], losses=True)] == [
        ("exp", 1),
        ("other", 0),
    ]


def test_views_are_in_no_mean_and_in_no_ranking() -> None:
    copied = case("transpose", Times(900.0, 100.0, 1.01), views=("torch",))
    assert losers(copied) == []
    text = page(Measured(header(), (copied, case("exp", Times(200.0, 100.0, 1.01)))))
    assert "returns a view are left out: 1 of PyTorch." in text
    assert "| MXNet 1.9.1, 1 thread | 2.00 (1) |" in text


def test_means_are_geometric_by_category() -> None:
    cases = (case("exp", Times(400.0, 100.0, 1.01)), case("log", Times(100.0, 100.0, 1.01)))
    other = case("dot", {KERNELS: Times(50.0, 100.0, 1.01), OF_NUMPY: Times(300.0, 100.0, 1.01)}, "gemm")
    rows = list(by_category(Measured(header(), (*cases, other))))
    assert rows[1:] == [
        "| gemm | 0.50 (1) | - | - | - | 3.00 (1) | - | - |\n",
        "| unary | 2.00 (2) | - | - | - | - | - | - |\n",
    ]
    assert (
        list(totals(Measured(header(), cases)))[1] == "| MXNet 1.9.1, 1 thread | 2.00 (2) | - | - | - | - | - | - |\n"
    )


def test_dispatch_is_the_call_without_its_kernels() -> None:
    exp = case("exp", {KERNELS: Times(40.0, 30.0, 1.01), CALLS: Times(70.0, 35.0, 1.01)})
    assert dispatch_us(exp, 0, "forward") == (30.0, 5.0)
    assert dispatch_us(exp, 0, "backward") is None
    text = page(Measured(header(), (exp,)))
    assert "takes 30.0 us in MXNet and 5.00 us in PyTorch (median)" in text


def test_a_partial_measurement_names_its_categories() -> None:
    own = {"torch": ("unary", "gemm"), "numpy": ("unary", "gemm"), "jax": ("unary", "gemm")}
    number = len(REGISTERED)
    assert list(coverage(header(covered=(own,)))) == [f"So far, 2 of {number} categories are measured: gemm, unary."]
    one = header(covered=({"torch": REGISTERED, "numpy": REGISTERED},))
    assert list(coverage(one)) == [f"For JAX (MXNet 1.9.1, 1 thread), 0 of {number} categories are measured."]
    assert list(coverage(header())) == []


def test_cases_without_times_are_counted_by_reason() -> None:
    missing = case("Custom", {}, "subgraph", missing=({"torch": 0, "numpy": 0},))
    made = Measured(header(reasons=("it runs code of the user",)), (missing, case("exp", Times(2.0, 1.0, 1.1))))
    rows = list(without_times(made))
    assert rows[1] == "| PyTorch | 2 | 1 | 1 | it runs code of the user (1) |\n"
    assert rows[3] == "| JAX | 2 | 2 | 0 |  |\n"


def test_lines_are_read_as_they_were_written(tmp_path) -> None:
    made = Measured(header(), (case("exp", Times(12.34, 1.5, 1.01)), case("log", {}, missing=({"jax": 0},))))
    write_times(tmp_path / "times.ndjson", made)
    assert read_times(tmp_path / "times.ndjson") == made


def test_every_category_is_in_one_comparison(tmp_path) -> None:
    found = list(steps(tmp_path, [SETUP], ["torch"], ()))
    assert tuple(name for step in found for name in step.categories) == REGISTERED
    (alone,) = steps(tmp_path, [SETUP], ["torch"], ["gemm"])
    assert alone.categories == ("gemm",)
    assert alone.path in {step.path for step in every_step(tmp_path)}


def test_times_are_collected_from_the_run_files_of_a_comparison(program: Program, tmp_path) -> None:
    step = Step(SETUP, "numpy", ("unary",), tmp_path / "1.9.1-1-numpy-unary.ndjson")
    assert not step.is_complete
    quick = ("--warmup", "1", "--samples", "3", "--processes", "1", "--profiler", "python")
    cases = ("--operator", "exp,_foreach", "--input-profile", "common", "--draws", "0")
    program("compare", "--frameworks", "mxnet,numpy", *cases, *quick, "--run-file", str(step.path))
    made = collect([step], "--draws 0")
    assert made.header.covered == ({"numpy": ("unary",)},)
    by_operator = {line.operator: line for line in made.cases}
    assert by_operator["exp"].inputs == "data (256, 256)"
    assert by_operator["exp"].at(0, OF_NUMPY)
    (reason,) = (made.header.reasons[number] for number in by_operator["_foreach"].missing[0].values())
    assert reason == "it doesn't run imperatively"
    assert "exp" not in page(made).partition("## Where MXNet loses most")[2]
