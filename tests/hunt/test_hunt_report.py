from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from rich.text import Text
from syrupy.assertion import SnapshotAssertion

from autoperf.core.finding import CommonTime, FamilyCheck, Finding, Fit, Searched
from autoperf.core.outcome import PassName
from autoperf.hunt.findings import family, finding_line, finding_sentence, held
from autoperf.hunt.registry_causes import ranking
from autoperf.hunt.report import HuntReport, notes, sentence
from autoperf.hunt.stored import read_hunt
from autoperf.reports.formats import load
from tests.finding_values import HEADER, LOOP, SEARCHED, SOFTMAX, TAKE, finding, hunt_report
from tests.kept_hunts import LOGS, name_of
from tests.reports.report_values import text_of

LONG = msgspec.structs.replace(
    TAKE,
    family="rows is a multiple of 1024 and mode is clip and indices has int64 and the last dimension is 64 or more",
    kernels={"take": 1200.5, "a kernel with a long name of its own": 33.25},
    contrast_kernels={"take": 260.0, "another": 1.5},
)
FOUND = {
    "autoperf hunt --replay FOLDER 1": SOFTMAX,
    "autoperf hunt --replay FOLDER 2": LONG,
    "autoperf hunt --replay FOLDER 3": finding(LOOP, LOOP, 2.25),
}


def hunt_text(found: Mapping[str, Finding], searched: Sequence[Searched], width: int = 100, form: str = "table") -> str:
    """A hunt in a format."""
    return text_of("hunt", form, hunt_report(found, searched), width)


@pytest.mark.parametrize("width", [70, 80, 120])
def test_the_table(width: int, snapshot: SnapshotAssertion) -> None:
    shown = hunt_text(FOUND, SEARCHED, width)
    assert all(len(line) <= width for line in shown.splitlines())
    assert shown == snapshot


def test_the_markdown(snapshot: SnapshotAssertion) -> None:
    assert hunt_text(FOUND, SEARCHED, form="md") == snapshot


@pytest.mark.parametrize("log", LOGS, ids=name_of)
def test_a_stored_hunt_ends_with_one_screen(log: Path, snapshot: SnapshotAssertion) -> None:
    """Causes come first, then findings of one operator, and the answer last."""
    screen = "\n".join(line.rstrip() for line in hunt_text(read_hunt(log).findings, (), 100).splitlines()[-24:])
    causes, own, last = (screen.index(words) for words in ("Causes of several", "Findings of one", " takes "))
    assert causes < own < last
    assert screen == snapshot


def test_weights_rank_by_milliseconds() -> None:
    called = msgspec.structs.replace(SOFTMAX.case, calls={"net": 2})
    found = {"a": SOFTMAX, "b": msgspec.structs.replace(SOFTMAX, operator="log_softmax")}
    report = replace(hunt_report(found), ranking=ranking(found, [called]))
    shown = text_of("hunt", "table", report, 100)
    assert "\n\nan axis that isn't the last: 2 operators, " in shown
    assert "1.88 ms" in shown
    assert "cost: the time that the calls of --weights lose" in shown
    assert "| 1.88 ms | softmax |" in text_of("hunt", "md", report, 100)


@pytest.mark.parametrize(
    ("timed", "words"),
    [
        ((), "The log lacks these times, so calls and passes count alike;"),
        ("a", "The log lacks these times for 1 of 2 findings, so calls and passes count alike;"),
        ("ab", "They are measured;"),
    ],
)
def test_a_report_says_whether_the_time_of_common_calls_is_measured(timed: Sequence[str], words: str) -> None:
    measured = CommonTime(9.0, 6.0, 0.0)
    found = {"a": SOFTMAX, "b": msgspec.structs.replace(SOFTMAX, operator="log_softmax")}
    found |= {name: msgspec.structs.replace(found[name], common=measured) for name in timed}
    for form in ("table", "html"):
        assert words in " ".join(hunt_text(found, (), form=form).split())


def test_what_differs_is_marked_and_the_bar_has_the_expected_part() -> None:
    report = hunt_report({"autoperf hunt --replay FOLDER 1": SOFTMAX})
    slow, fast, bar = (line for line in report_lines(report) if line.plain.startswith(("  slow", "  fast", "  bar")))
    assert [marked(line) for line in (slow, fast)] == [["axis=0"], ["axis=-1"]]
    assert (bar.plain.count("█"), bar.plain.count("░")) == (11, 30)


def report_lines(report: HuntReport) -> list[Text]:
    return [line for line in load("hunt", "table").pieces(report, 100) if isinstance(line, Text)]


def marked(line: Text) -> list[str]:
    return [line.plain[span.start : span.end] for span in line.spans if span.style == "bold"]


def test_findings_are_ranked_by_the_lower_limit() -> None:
    """A larger ratio with a wide interval says less than a smaller one with a narrow one."""
    other = msgspec.structs.replace(finding(SOFTMAX.case, SOFTMAX.case), kernels={})
    certain = msgspec.structs.replace(other, operator="certain")
    vague = msgspec.structs.replace(
        other, operator="vague", estimate=msgspec.structs.replace(other.estimate, ratio=9.0, low=1.5, high=50.0)
    )
    shown = hunt_text({"a": vague, "b": certain}, (), form="md")
    assert shown.index("| certain | forward") < shown.index("| vague | forward")


def test_no_findings() -> None:
    words = (
        "0 findings: 2 operators searched in 38 s, 200 inputs tried (3 refused); "
        "6 suspects = 0 findings + 4 dropped + 2 left undecided"
    )
    quiet = tuple(msgspec.structs.replace(searched, fits={}) for searched in SEARCHED[:2])
    answer = "No input is known to be unexpectedly slow; 6 suspects weren't confirmed."
    assert hunt_text({}, quiet, 140) == f"MXNet 1.9.1; 2 threads; Example; 2024-01-01 00:00\n\n{words}\n\n{answer}\n"
    origin = (
        "- MXNet 1.9.1, 2 threads; Example; 2024-01-01T00:00:00+00:00\n"
        "- autoperf 0.1.0, seed 7: autoperf hunt --seed 7\n"
    )
    assert hunt_text({}, quiet, form="md") == f"**{answer}**\n\n- {words}\n\n{origin}"
    none = tuple(msgspec.structs.replace(searched, suspects=0, dropped=0) for searched in quiet)
    assert hunt_text({}, none, 140).endswith("\n\nNo input is unexpectedly slow.\n")
    assert hunt_text({}, SEARCHED[2:], 140).endswith("\n\nNo input is known to be unexpectedly slow.\n")


def test_empty_details_of_a_finding_take_no_line() -> None:
    bare = msgspec.structs.replace(SOFTMAX, family="", step="", kernels={}, contrast_kernels={}, evidence=())
    shown = hunt_text({"autoperf hunt --replay FOLDER 1": bare}, (), 100)
    assert not any(word in shown for word in ("step", "kernels", "family", "evidence"))
    assert "| - |" in hunt_text({"autoperf hunt --replay FOLDER 1": bare}, (), form="md")


def test_notes() -> None:
    assert list(notes(SEARCHED)) == [
        "cost model ignored (poor fit): softmax backward (errs by 2.40 times over 98 inputs)",
        "nothing to search: no input of it runs: exp",
    ]


@pytest.mark.parametrize(
    ("sizes", "words"),
    [((4096,), "4,096 elements"), ((65536, 4096, 0), "4,096 to 65,536 elements"), ((1,), "1 element")],
)
def test_the_sizes_of_inputs_are_noted(sizes: tuple[int, ...], words: str) -> None:
    searched = [msgspec.structs.replace(SEARCHED[0], largest=size, fits={}) for size in sizes]
    assert list(notes(searched)) == [f"inputs of up to {words} were searched"]


def test_many_operators_are_abbreviated() -> None:
    fits: dict[PassName, Fit] = {"forward": Fit(0.0, 5, True)}
    many = [
        Searched(
            operator=f"op{number}", tried=1, refused=1, suspects=0, dropped=0, seconds=1.0,
            fits=fits, ended="interrupted", reason="" if number % 2 else "no rule for it",
        )
        for number in range(40)
    ]  # fmt: skip
    poor, reason, broken = notes(many)
    assert poor == "40 passes have no cost model that fits; neighbours alone judge their inputs"
    assert reason.startswith("nothing to search: no rule for it: op0, op2, ")
    assert reason.endswith("and 8 more")
    assert broken.startswith("interrupted: op0, op1, ")


def test_a_finding_in_one_line() -> None:
    assert finding_line(SOFTMAX) == (
        "softmax forward: 4.20 times [4.07, 4.37] | data (4096, 64); axis=0 | "
        "axis is not last, and the last dimension is 64 or more"
    )


def test_a_finding_between_two_sides_has_one_input() -> None:
    both = msgspec.structs.replace(
        finding(SOFTMAX.case, SOFTMAX.case),
        sides=("MXNet 2.0.0b1", "MXNet 1.9.1"),
        step="the same input on MXNet 1.9.1",
    )
    lines = hunt_text({"autoperf hunt --replay FOLDER 1": both}, (), 120).splitlines()
    assert " ".join(lines[-2:]) == (
        "softmax forward: data (4096, 64); axis=0 on MXNet 2.0.0b1 takes 1.23 ms, 4.20 times [4.07, 4.37] as long as "
        "the same input on MXNet 1.9.1."
    )
    assert lines[1].startswith("  slow     data (4096, 64); axis=0 on MXNet 2.0.0b1 ")
    assert lines[2].startswith("  fast     the same input on MXNet 1.9.1 ")
    assert not any(line.startswith("  step") for line in lines)
    assert "| the same input on MXNet 1.9.1 |" in hunt_text({"autoperf hunt --replay FOLDER 1": both}, (), form="md")
    assert finding_line(both).split(" | ")[1] == "data (4096, 64); axis=0 on MXNet 2.0.0b1"


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (FamilyCheck(inside=0, inside_slow=0, outside=0, outside_fast=0, unfinished=True), ""),
        (FamilyCheck(inside=4, inside_slow=1, outside=4, outside_fast=4, single=True), ""),
        (FamilyCheck(inside=4, inside_slow=3, outside=0, outside_fast=0), "3 of 4 fresh inputs of it are slow"),
        (
            FamilyCheck(inside=4, inside_slow=3, outside=2, outside_fast=1, unfinished=True),
            "3 of 4 fresh inputs of it are slow, 1 of 2 others are not",
        ),
    ],
)
def test_the_check_of_a_family_says_nothing_without_draws(check: FamilyCheck, words: str) -> None:
    assert held(msgspec.structs.replace(SOFTMAX, check=check)) == words


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        ("this input; no family of it holds on fresh draws", "this input only"),
        (
            "this input; the budget ended before a family of it was held against enough fresh draws",
            "this input only",
        ),
        ("float16", "float16"),
    ],
)
def test_earlier_reasons_for_a_single_input_are_short(stored: str, words: str) -> None:
    found = msgspec.structs.replace(SOFTMAX, family=stored)
    assert family(found) == words
    assert finding_line(found).endswith("float16" if stored == "float16" else "axis=0")


def test_the_suspects_are_a_sum_with_reasons() -> None:
    searched = (
        msgspec.structs.replace(SEARCHED[0], dropped_for={"not slow in further samples": 3, "explained": 1}),
        msgspec.structs.replace(SEARCHED[1], joined=1),
    )
    assert sentence({"a": SOFTMAX}, searched).endswith(
        "6 suspects = 1 finding + 1 of their families + 4 dropped (not slow in further samples 3, explained 1)"
    )
    assert sentence({}, SEARCHED[2:]).endswith("0 inputs tried (4 refused); no suspect")


def test_a_time_that_is_scaled_is_expected() -> None:
    """15 times as long as the fast input, of which a part is more work."""
    scaled = msgspec.structs.replace(SOFTMAX, actual_us=1300.0, expected_us=351.0, contrast_us=87.7)
    assert finding_sentence(scaled) == (
        "softmax forward: data (4096, 64); axis=0 takes 1.30 ms, 4.20 times [4.07, 4.37] the expected 351 us, "
        "scaled from 87.7 us of data (4096, 64); axis=-1."
    )
    assert finding_sentence(SOFTMAX).endswith("[4.07, 4.37] as long as data (4096, 64); axis=-1 for equal work.")


def test_the_end_of_the_budget_is_noted_once() -> None:
    late = msgspec.structs.replace(SOFTMAX, family="this input only: the budget ended before others were tested")
    wide = FamilyCheck(inside=4, inside_slow=4, outside=4, outside_fast=4, unfinished=True)
    shown = hunt_text({"a": late, "b": msgspec.structs.replace(SOFTMAX, check=wide), "c": TAKE}, (), 120)
    assert shown.count("budget") == 2
    assert "note: 2 findings may be of a wider family: the budget ended before other inputs were tested" in shown


@pytest.mark.parametrize("form", ["table", "md", "html"])
def test_a_hunt_names_release_processor_and_date(form: str) -> None:
    text = text_of("hunt", form, hunt_report(FOUND, SEARCHED, HEADER), 200)
    assert "MXNet 1.9.1, 2 threads" in text or "MXNet 1.9.1; 2 threads" in text
    assert HEADER.environment.processor.model in text
    assert "2024-01-01" in text
