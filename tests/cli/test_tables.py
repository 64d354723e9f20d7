"""The options of tables: which rows, how many, in which order, by which group; and nothing else with --quiet."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import pytest

from autoperf.cli.main import run as command_line
from autoperf.core.errors import Exit

STORED = Path(__file__).parents[1] / "data" / "stored"
BASE, NEW = "base-2.ndjson", "new-2.ndjson"


@pytest.fixture(autouse=True)
def _stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(STORED)
    monkeypatch.setenv("COLUMNS", "120")


def shown(capsys: pytest.CaptureFixture[str], *words: str, code: int = Exit.FINE) -> str:
    """What a command prints; of the stored runs of one build most measurements are undecided."""
    assert command_line(words) == (Exit.INCONCLUSIVE if words[:2] == ("compare", BASE) else code)
    return capsys.readouterr().out


def rows(capsys: pytest.CaptureFixture[str], *words: str, code: int = Exit.FINE) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(shown(capsys, *words, "--format", "csv", code=code))))


def test_several_keys_sort_by_the_first_then_by_the_next(capsys: pytest.CaptureFixture[str]) -> None:
    table = rows(capsys, "report", BASE, "--sort", "profile,-forward_kernel")
    keys = [(row["profile"], -float(row["forward_kernel_median_us"])) for row in table]
    assert keys == sorted(keys)
    assert len(table) == 8


@pytest.mark.parametrize("form", ["table", "md"])
def test_a_limit_says_what_it_leaves_out(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "report", BASE, "--sort=-forward_kernel", "--limit", "2", "--format", form)
    assert "2 of 8 cases shown; --limit sets how many" in text
    assert "8 cases = 8 measured" in text
    assert "argmax" in text
    assert text.count("small") == (0 if form == "table" else 1)  # of the command alone


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (("--operator", "softmax"), 2),
        (("--operator", "softmax,do*"), 4),
        (("--category", "gemm"), 2),
        (("--category", "sorting_searching"), 2),
        (("--input-profile", "small"), 4),
        (("--input-profile", "small", "--category", "gemm"), 1),
    ],
)
def test_filters_choose_rows_of_a_run_and_of_a_comparison(
    options: tuple[str, ...], count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    table = rows(capsys, "report", BASE, *options)
    assert len(table) == count
    assert f"{count} of 8 cases selected" in shown(capsys, "report", BASE, *options)
    assert f"{count} of 8 cases selected" in shown(capsys, "report", BASE, *options, "--format", "md")
    cases = {row["case"] for row in table}
    assert {row["case"] for row in rows(capsys, "compare", BASE, NEW, *options)} == cases


@pytest.mark.parametrize("command", [("report", BASE), ("compare", BASE, NEW)])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--operator", "sofmax"), "unknown operator of this run 'sofmax'; did you mean softmax?"),
        (("--input-profile", "smal"), "did you mean small"),
        (("--category", "gem"), "unknown category 'gem'"),
    ],
)
def test_a_name_that_no_row_has_is_a_mistake(
    command: tuple[str, ...], options: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line([*command, *options]) == Exit.USER_MISTAKE
    assert words in capsys.readouterr().err


def test_groups_of_a_run_are_geometric_means(capsys: pytest.CaptureFixture[str]) -> None:
    medians = [float(row["forward_kernel_median_us"]) for row in rows(capsys, "report", BASE, "--operator", "dot")]
    (group,) = (row for row in rows(capsys, "report", BASE, "--group-by", "operator") if row["operator"] == "dot")
    assert (group["cases"], group["release"]) == ("2", "1.9.1")
    assert float(group["forward_kernel_us"]) == pytest.approx(math.prod(medians) ** 0.5)
    document = json.loads(shown(capsys, "report", BASE, "--group-by", "category", "--format", "json"))
    assert {entry["category"] for entry in document["groups"]} == {"activation", "broadcast", "gemm", "sorting"}


def test_the_ratio_of_a_group_is_the_quotient_of_its_means(capsys: pytest.CaptureFixture[str]) -> None:
    table = rows(capsys, "compare", BASE, NEW, "--group-by", "category")
    assert {row["category"] for row in table} == {"activation", "broadcast", "gemm", "sorting"}
    for row in table:
        assert float(row["ratio"]) == pytest.approx(float(row["new_us"]) / float(row["base_us"]))
    assert sum(int(row["figures"]) for row in table) == 28


@pytest.mark.parametrize("form", ["table", "md"])
@pytest.mark.parametrize("command", [("report", BASE), ("compare", BASE, NEW)])
def test_groups_are_sorted_limited_and_say_where_they_come_from(
    form: str, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(capsys, *command, "--group-by", "operator", "--limit", "2", "--format", form)
    assert "2 of" in text
    assert "geometric means" in text
    assert ("MXNet 1.9.1" if form == "table" else "--seed 3") in text.replace("\\", "")


def test_junit_has_no_groups(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(["compare", BASE, NEW, "--group-by", "operator", "--format", "junit"]) == Exit.USER_MISTAKE
    assert "--group-by doesn't apply to --format junit" in capsys.readouterr().err
    assert command_line(["report", BASE, NEW, "--group-by", "operator", "--format", "html"]) == Exit.USER_MISTAKE
    assert "--group-by doesn't apply to --format html" in capsys.readouterr().err


def test_expected_is_a_whole_run_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(["report", BASE, "--format", "baseline", "--operator", "dot"]) == Exit.USER_MISTAKE
    assert "leave out options of rows and columns" in capsys.readouterr().err


@pytest.mark.parametrize("width", ["50", "80", "100", "140"])
def test_what_a_width_hides_is_named(width: str, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    plain = " ".join(shown(capsys, "report", BASE).split())
    verbose = " ".join(shown(capsys, "report", BASE, "--verbose").split())
    for header, column in (("P90", "forward_tail"), ("kernel", "forward_kernel"), ("wall", "forward_wall")):
        table, _, hidden = plain.partition("hidden at this width")
        assert header in table or (header in hidden and column in verbose)


def test_details_are_shown_on_request_alone(capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    plain, verbose = shown(capsys, "report", BASE), shown(capsys, "report", BASE, "--verbose")
    for detail in ("own kernels", "(/usr/lib/libmxnet.so)"):
        assert detail in verbose
    assert "own kernels" not in plain
    assert len(plain.splitlines()) < len(verbose.splitlines())
    assert command_line(["report", BASE, "--verbose", "--format", "csv"]) == Exit.USER_MISTAKE
    assert "--verbose doesn't apply to --format csv" in capsys.readouterr().err


def test_categories_are_listed_without_mxnet(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("run", "discover", "hunt", "generate", "compare"):
        text = shown(capsys, command, "--list-categories")
        assert "broadcast" in text
        assert "sorting_searching" in text


def test_quiet_tells_no_notices(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut = tmp_path / "cut.ndjson"
    cut.write_bytes((STORED / BASE).read_bytes()[:-100])
    assert command_line(["report", str(cut)]) == Exit.FINE
    loud = capsys.readouterr()
    assert "cut off" in loud.err
    assert command_line(["report", str(cut), "--quiet"]) == Exit.FINE
    quiet = capsys.readouterr()
    assert (quiet.err, quiet.out) == ("", loud.out)


def test_several_releases_are_grouped_by_operator(capsys: pytest.CaptureFixture[str]) -> None:
    """The ratio of a release is the geometric mean over the cases, to the first release."""
    medians = {
        (row["release"], row["profile"]): float(row["forward_kernel_median_us"])
        for row in rows(capsys, "report", BASE, NEW)
        if row["operator"] == "dot"
    }
    (dot,) = (
        row
        for row in rows(capsys, "report", BASE, NEW, "--group-by", "operator")
        if (row["operator"], row["pass"]) == ("dot", "forward")
    )
    ratios = [medians["1.9.1-2", profile] / medians["1.9.1", profile] for profile in ("small", "common")]
    assert float(dot["ratio 1.9.1"]) == 1.0
    assert float(dot["ratio 1.9.1-2"]) == pytest.approx(math.sqrt(math.prod(ratios)))


@pytest.mark.parametrize("form", ["table", "md", "json"])
def test_releases_by_category_say_what_the_ratios_are(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "report", BASE, NEW, "--group-by", "category", "--sort", "pass", "--format", form)
    assert "activation" in text
    assert form == "json" or "geometric means" in text


def test_releases_are_not_grouped_by_an_unknown_column(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(["report", BASE, NEW, "--group-by", "operator", "--sort", "nonsense"]) == Exit.USER_MISTAKE
    assert "unknown column 'nonsense'; known are cases, changes, operator, pass, ratio 1.9.1" in capsys.readouterr().err


def test_an_unknown_column_of_releases_is_refused_before_they_are_measured(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = tmp_path / "run.ndjson"
    words = ("run", "--mxnet", "1.9.1", "--mxnet", "1.9.1", "--operator", "exp", "--run-file", str(run))
    assert command_line([*words, "--group-by", "operator", "--sort", "nonsense"]) == Exit.USER_MISTAKE
    assert "unknown column 'nonsense'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
