"""`report` of several run files, and of a hunt's folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.cli.main import run

STORED = Path(__file__).parents[1] / "data" / "stored"
BASE, NEW, HUNT = str(STORED / "base-2.ndjson"), str(STORED / "new-2.ndjson"), str(STORED / "hunt")


@pytest.mark.parametrize(
    ("paths", "title"),
    [
        ((BASE,), "Operator benchmarks"),
        ((BASE, NEW), "Comparison of operator benchmarks"),
        ((BASE, NEW, BASE), "Operator benchmarks by release"),
        ((HUNT,), "Inputs that are unexpectedly slow"),
    ],
)
def test_html_is_of_what_is_given(paths: tuple[str, ...], title: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", *paths, "--format", "html"]) == 0
    assert f"<h1>{title}</h1>" in capsys.readouterr().out


def test_a_page_goes_to_its_file(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run(["report", BASE, NEW, "--format", "html", "--report", str(page)]) == 0
    assert page.read_text().startswith("<!doctype html>")


def test_several_runs_stand_side_by_side_under_labels_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", BASE, NEW]) == 0
    assert " 1.9.1 1.9.1-2 ratio" in " ".join(capsys.readouterr().out.split())


def test_a_hunt_is_shown_as_the_hunt_showed_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", HUNT, "--format", "md"]) == 0
    shown = capsys.readouterr().out
    assert "operators searched" in shown or "operator searched" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((BASE, NEW, "--format", "baseline"), "--format baseline converts one run file: expected one path, got 2"),
        ((HUNT, "--format", "baseline"), f"--format baseline converts one run file: {HUNT} is a folder"),
        ((HUNT, "--sort", "ratio"), "options of rows and columns don't apply to a hunt"),
        ((HUNT, "--format", "csv"), "unknown format 'csv'"),
        ((HUNT, BASE), "Is a directory"),
        ((), "report takes run files, the folder of a hunt, or --history: give one of them"),
    ],
)
def test_mistakes(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", *arguments]) == 2
    assert message in capsys.readouterr().err
