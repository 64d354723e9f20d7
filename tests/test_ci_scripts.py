"""The scripts of docs/ci run as their services would run them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autoperf.comparison.comparison import Verdict
from autoperf.comparison.exports import MARK, MAX_CHARACTERS, comment_text
from autoperf.comparison.report import ComparisonReport
from autoperf.core.errors import Exit
from tests.values import compared, comparison

CI = Path(__file__).parents[1] / "docs" / "ci"
QUICK = "--operator softmax --input-profile small --draws 0 --warmup 1 --samples 20 --processes 2 --no-confirm"
SLOW = "--env A:MXNET_MKLDNN_ENABLED=1 --env B:MXNET_MKLDNN_ENABLED=0"
"""MXNet's own softmax takes twenty times as long as oneDNN's."""
GH = """#!/usr/bin/env bash
printf '%s\\n' "$*" >>"$CALLS"
case "$*" in *--paginate*) [ ! -f "$FORMER" ] || cat "$FORMER" ;; esac
"""
"""Stands for GitHub's command, which needs a server: keeps its arguments, and lists a former comment."""


def _run(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """The script in this folder, with autoperf and the files of `bin` on the path."""
    path = f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "BASE": "installed", "NEW": "installed", **variables}
    command = ["bash", str(CI / script)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def github(tmp_path: Path) -> dict[str, str]:
    """The variables of a job for pull request 7."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gh").write_text(GH)
    (tmp_path / "bin" / "gh").chmod(0o755)
    return {
        "CALLS": str(tmp_path / "calls"), "FORMER": str(tmp_path / "former"), "GH_TOKEN": "t", "PULL_REQUEST": "7",
        "GITHUB_REPOSITORY": "owner/name", "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
    }  # fmt: skip


COUNTS = pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind isn't installed")


@pytest.mark.nightly
@COUNTS
def test_github_replaces_its_comment_and_annotates(tmp_path: Path, github: dict[str, str]) -> None:
    (tmp_path / "former").write_text("42\n")
    done = _run("github.sh", tmp_path, OPTIONS=f"{QUICK} {SLOW}", **github)
    assert done.returncode == Exit.FINDING, done.stderr
    assert "::error title=autoperf::autoperf gate: fails, " in done.stdout
    summary = (tmp_path / "summary").read_text()
    assert summary.startswith(MARK)
    assert "more instructions" in summary
    assert "--method PATCH repos/owner/name/issues/comments/42" in (tmp_path / "calls").read_text().splitlines()[-1]


@COUNTS
@pytest.mark.nightly
def test_github_comments_for_the_first_time(tmp_path: Path, github: dict[str, str]) -> None:
    done = _run("github.sh", tmp_path, OPTIONS=QUICK, **github)
    assert "::error" not in done.stdout, done.stderr
    assert "--method POST repos/owner/name/issues/7/comments" in (tmp_path / "calls").read_text()


def test_a_mistake_ends_the_job_without_a_comment(tmp_path: Path, github: dict[str, str]) -> None:
    done = _run("github.sh", tmp_path, OPTIONS="--operator sofmax", **github)
    assert done.returncode == Exit.USER_MISTAKE
    assert "did you mean" in done.stderr
    assert not (tmp_path / "calls").exists()


@COUNTS
@pytest.mark.skipif(not shutil.which("jq"), reason="jq isn't installed")
@pytest.mark.nightly
def test_gitlab_has_quality_and_metrics(tmp_path: Path) -> None:
    done = _run("gitlab.sh", tmp_path, OPTIONS=f"{QUICK} {SLOW}")
    assert done.returncode == Exit.FINDING, done.stderr
    quality = json.loads((tmp_path / "gate-quality.json").read_text())
    assert all({"description", "check_name", "fingerprint", "severity", "location"} == set(each) for each in quality)
    assert len({each["fingerprint"] for each in quality}) == len(quality) > 0
    lines = (tmp_path / "gate-metrics.txt").read_text().splitlines()
    pattern = r'autoperf_ratio\{case="softmax/\w+",pass="(?:forward|backward)",clock="\w+"\} [\d.e+-]+'
    assert lines
    assert all(re.fullmatch(pattern, line) for line in lines)


def test_a_comment_stays_below_the_size_that_github_takes() -> None:
    figures = [compared(f"exp/{number:08x}", "forward", "kernel", 1.5, Verdict.SLOWER) for number in range(5000)]
    text = comment_text(ComparisonReport(comparison(*figures), brief=True))
    assert text.startswith(MARK)
    assert MAX_CHARACTERS / 2 < len(text) < 65_536
    assert "more lines don't fit here" in text
    assert text.count("<details>") == text.count("</details>")
