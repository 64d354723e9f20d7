"""What a hunt didn't search, it names."""

from __future__ import annotations

from autoperf.core.finding import Searched
from autoperf.hunt.report import notes, sentence
from autoperf.hunt.session import without_cases


def test_operators_without_a_case_are_named_if_they_were_selected_by_name() -> None:
    assert list(without_cases(["exp", "log"], ["exp", "log", "sum"])) == [
        "not searched, since no case is for them: exp, log"
    ]
    assert list(without_cases(["exp"], ["exp"])) == ["not searched, since no case is for it: exp"]
    assert list(without_cases(["exp"], [])) == []
    assert list(without_cases([], ["exp"])) == []


def test_operators_that_an_interruption_kept_from_their_turn_are_named() -> None:
    begun = Searched(operator="exp", tried=7, refused=0, suspects=0, dropped=0, seconds=1.0, ended="interrupted")
    left = Searched(operator="log", tried=0, refused=0, suspects=0, dropped=0, seconds=0.0, ended="interrupted")
    assert list(notes([begun, left])) == [
        "interrupted: exp",
        "not searched, since the hunt was interrupted before: log",
    ]
    assert sentence({}, [begun, left]).startswith("0 findings: 1 operator searched in ")
