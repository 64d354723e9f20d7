"""Pages of measurements name the method that they were made by; a change of the method raises its number."""

from __future__ import annotations

import ast
import hashlib
import re
from pathlib import Path

import pytest

from autoperf.core.method import METHOD, since

ROOT = Path(__file__).parent.parent
MODULES = (
    *("executor/fresh_memory", "executor/stopping_rules", "executor/sampling"),
    *("executor/probe", "executor/runner", "executor/figure_series"),
    *("results/correction", "results/slopes", "results/statistics", "results/intervals"),
)
KNOWN = {3: "442b44fd7bc2"}
"""The digest of these modules without comments and docstrings, by the method that they are."""
STAMP = re.compile(r"^Measured by method (\d+)(?:, at commit [0-9a-f]{7} of| on) \d{4}-\d\d-\d\d(.*)\.$", re.MULTILINE)
PAGES = sorted(
    page for page in (ROOT / "docs").rglob("*.md") if re.search(r"^Measured by", page.read_text("utf-8"), re.MULTILINE)
)


def _digest() -> str:
    sources = ((ROOT / "autoperf" / f"{name}.py").read_text(encoding="utf-8") for name in MODULES)
    return hashlib.sha256("\n".join(map(_code, sources)).encode()).hexdigest()[:12]


def _code(source: str) -> str:
    """The lines of a module without docstrings, comments on lines of their own, and empty lines."""
    texts = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr) and _is_text(node)]
    left_out = {line for node in texts for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    lines = (line.strip() for number, line in enumerate(source.splitlines(), 1) if number not in left_out)
    return "\n".join(line for line in lines if line and not line.startswith("#"))


def _is_text(node: ast.Expr) -> bool:
    return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def test_a_change_of_the_method_is_noticed() -> None:
    assert KNOWN.get(METHOD) == _digest(), (
        "the code of the measuring method has changed. If figures may change, raise METHOD in autoperf/core/method.py "
        "and measure the pages again, or say in them that they are older; then set the digest in KNOWN"
    )


def test_some_pages_are_of_measurements() -> None:
    assert len(PAGES) >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_that_is_older_than_the_method_says_so(page: Path) -> None:
    stamps = list(STAMP.finditer(page.read_text(encoding="utf-8")))
    assert stamps, f"expected a line like 'Measured by method {METHOD}, at commit 0123abc of 2026-11-24.'"
    for stamp in stamps:
        assert stamp[2] == since(int(stamp[1])), "its figures are of an earlier method: say so"
