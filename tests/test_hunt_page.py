"""The page of what hunts found: its scripts are there, and are what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autoperf.executor.suite import SuiteFile

DOCS = Path(__file__).parents[1] / "docs"
SCRIPTS = sorted((DOCS / "hunt").glob("*/*.py"))


def test_every_script_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"`(hunt/[^`]+\.py)`", (DOCS / "hunt.md").read_text()))
    assert named
    assert named == {str(script.relative_to(DOCS)) for script in SCRIPTS}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: f"{script.parent.name}/{script.stem}")
def test_a_script_holds_the_two_inputs_that_it_names(script: Path) -> None:
    cases = [SuiteFile(script).build(function) for function in ("slow", "fast")]
    assert [case.profile for case in cases] == ["finding", "contrast"]
    assert all(f'"{case.id}"' in script.read_text() for case in cases)
