"""The headlines of a comparison: its sides by name, effects over the inputs of an operator, and whole networks."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.comparison.comparison import ComparedFigure, Comparison, PassParts, Unmatched, Verdict
from autoperf.comparison.headlines import headlines, side_names
from autoperf.comparison.report import ComparisonReport
from autoperf.reports.columns import View
from autoperf.runs.runfile import Provenance, command_line
from tests.reports.report_values import text_of
from tests.values import compared, comparison

MADE = Provenance(
    "1.9.1", "/src/libmxnet.so", None, "machine", "processor", 1, "2026-01-01T00:00:00", "0.1.0", 7, "autoperf run"
)


def softmax(number: int, ratio: float, verdict: Verdict, clock: str = "kernel", reach: float = 1.05) -> ComparedFigure:
    """The forward pass of one input."""
    made = compared(f"softmax/{number}", "forward", clock, ratio, verdict)
    return msgspec.structs.replace(made, low=ratio / reach, high=ratio * reach)


def between(*figures: ComparedFigure, base: Provenance = MADE, new: Provenance | None = None) -> Comparison:
    other = new or msgspec.structs.replace(MADE, release="2.0.0b1")
    return msgspec.structs.replace(comparison(*figures), base_provenance=base, new_provenance=other)


@pytest.mark.parametrize(
    ("ratios", "words"),
    [
        ((1.38, 1.4, 1.42), "1.40 times slower than MXNet 1.9.1 in softmax forward (3 of 3 inputs)"),
        ((1.08, 1.4, 8.4), "1.08 to 8.40 times slower than MXNet 1.9.1 in softmax forward (3 of 3 inputs)"),
    ],
)
def test_an_effect_is_that_of_an_operator_and_pass_over_its_inputs(ratios: tuple[float, ...], words: str) -> None:
    """Clocks don't multiply the inputs."""
    figures = [
        softmax(number, ratio, Verdict.SLOWER, clock)
        for number, ratio in enumerate(ratios)
        for clock in ("kernel", "wall")
    ]
    assert list(headlines(between(*figures))) == [f"MXNet 2.0.0b1 is {words}"]


def test_an_input_of_the_other_direction_is_a_sentence_of_its_own() -> None:
    slower = [softmax(number, 1.2, Verdict.SLOWER) for number in range(6)]
    assert list(headlines(between(*slower, softmax(9, 0.1, Verdict.FASTER)))) == [
        "MXNet 2.0.0b1 is 1.20 times slower than MXNet 1.9.1 in softmax forward (6 of 7 inputs)",
        "MXNet 2.0.0b1 is 10.0 times faster than MXNet 1.9.1 in softmax forward (1 of 7 inputs)",
    ]


def test_a_ratio_that_is_not_known_within_a_factor_of_two_is_in_no_sentence() -> None:
    known, unknown = softmax(1, 1.3, Verdict.SLOWER), softmax(2, 3.29, Verdict.SLOWER, reach=2.9)
    (both,) = headlines(between(known, unknown))
    assert "1.30 times slower than MXNet 1.9.1 in softmax forward (2 of 2 inputs)" in both
    (least,) = headlines(between(unknown))
    assert "at least 1.13 times slower" in least
    undecided = softmax(3, 3.29, Verdict.UNDECIDED, reach=100.0)
    text = text_of("comparison", "md", ComparisonReport(between(known, undecided)))
    assert "softmax forward kernel (data (64, 128))\n" in text
    assert "3.29 times" not in text


def test_a_clock_is_named_unless_it_is_of_kernels() -> None:
    (sentence,) = headlines(between(softmax(1, 1.3, Verdict.SLOWER, "wall"), softmax(1, 1.0, Verdict.SAME)))
    assert sentence.endswith("in softmax forward wall time (1 of 1 input)")


def test_many_operators_are_counted() -> None:
    figures = [compared(f"op{ratio}/1", "forward", "kernel", ratio, Verdict.SLOWER) for ratio in (1.1, 1.2, 1.3, 9.0)]
    (sentence,) = headlines(between(*figures))
    assert sentence == (
        "MXNet 2.0.0b1 is 9.00 times slower than MXNet 1.9.1 in op9.0 forward (1 of 1 input), "
        "1.30 times in op1.3 forward (1 of 1), 1.20 times in op1.2 forward (1 of 1), and in 1 more"
    )


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"release": "2.0.0b1"}, ("MXNet 1.9.1", "MXNet 2.0.0b1")),
        ({"release": "PyTorch 2.13.0"}, ("MXNet 1.9.1", "PyTorch 2.13.0")),
        ({"build": "/src/fast/build/libmxnet.so"}, ("src", "src/fast/build")),
        ({}, ("base", "new")),
    ],
)
def test_sides_are_named_by_what_differs(changes: dict[str, str], names: tuple[str, str]) -> None:
    assert side_names(between(new=msgspec.structs.replace(MADE, **changes))) == names


def test_builds_are_named_by_their_folders_and_environments_by_their_variables() -> None:
    builds = [msgspec.structs.replace(MADE, build=f"/src/{name}/lib/libmxnet.so") for name in ("main", "branch")]
    assert side_names(between(base=builds[0], new=builds[1])) == ("main", "branch")
    words = ("autoperf", "compare", "--env", "A:MODE=quick", "--env=B:MODE=slow and sure", "--rules=a --env=b.py")
    both = msgspec.structs.replace(MADE, command=command_line(words))
    assert side_names(between(base=both, new=both)) == ("MODE=quick", "MODE=slow and sure")


def whole(mode: str, ratio: float, verdict: Verdict) -> ComparedFigure:
    made = compared(f"_CachedOp/{mode}", "forward", "wall", ratio, verdict, base_us=194_000.0)
    return msgspec.structs.replace(made, network="bert", profile=mode, category="network")


def test_a_network_stands_first_with_its_name_and_its_own_verdict() -> None:
    given = between(
        compared("exp/1", "forward", "kernel", 2.0, Verdict.SLOWER),
        whole("hybridized", 0.298, Verdict.FASTER),
        whole("static", 1.0, Verdict.SAME),
    )
    assert list(headlines(given)) == [
        "bert, hybridized forward: MXNet 1.9.1 194 ms, MXNet 2.0.0b1 57.8 ms: 3.36 times faster",
        "bert, static forward: MXNet 1.9.1 194 ms, MXNet 2.0.0b1 194 ms: same",
        "MXNet 2.0.0b1 is 2.00 times slower than MXNet 1.9.1 in exp forward (1 of 1 input)",
    ]
    lines = text_of("comparison", "table", ComparisonReport(given)).splitlines()
    assert lines[0].startswith("whole networks (2 measurements)")
    assert [line.split()[0] for line in lines[1:5]] == ["bert", "faster:", "bert", "same:"]
    assert "_CachedOp" not in text_of("comparison", "html", ComparisonReport(given)).partition('"columns"')[0]


def test_a_network_that_fails_on_one_side_is_the_headline() -> None:
    failed = Unmatched(
        case="_CachedOp/1", operator="_CachedOp", missing="new", reason="failed: no kernel", profile="hybridized",
        category="network", lost=True, network="bert",
    )  # fmt: skip
    given = msgspec.structs.replace(between(softmax(1, 1.0, Verdict.SAME)), unmatched=(failed,))
    assert next(headlines(given)) == "bert, hybridized: fails in MXNet 2.0.0b1 (failed: no kernel)"


def test_kernels_and_dispatch_of_both_sides_stand_below_what_changed() -> None:
    parts = PassParts({"softmax": 340.0}, {}, 20.0), PassParts({"softmax": 460.0}, {"Reorder": 5.0}, None)
    given = between(msgspec.structs.replace(softmax(1, 1.35, Verdict.SLOWER), parts=parts))
    text = text_of("comparison", "table", ComparisonReport(given, view=View(verbose=True)), 120)
    words = "softmax 340 us -> 460 us; Reorder (helper) - -> 5.00 us; dispatch 20.0 us -> -"
    assert f"    forward: {words}\n" in text
    assert words not in text_of("comparison", "table", ComparisonReport(given), 120)
    assert words.replace(">", r"\u003e") in text_of("comparison", "html", ComparisonReport(given))


def test_columns_stand_beside_their_rows_on_a_wide_terminal() -> None:
    text = text_of("comparison", "table", ComparisonReport(between(softmax(1, 1.35, Verdict.SLOWER))), 200)
    assert max(map(len, text.partition("\n\n")[0].splitlines())) < 100
