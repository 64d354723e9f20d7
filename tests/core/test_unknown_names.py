"""An unknown name is told with those that it may stand for."""

from __future__ import annotations

import pytest

from autoperf.core.errors import UnknownNameError


@pytest.mark.parametrize(
    ("known", "candidates", "hint"),
    [
        (["softmax", "exp"], [], "; did you mean softmax?"),
        (["exp", "log"], [], "; known are exp, log"),
        (["exp"], ["np.softmax"], "; it may mean np.softmax"),
        ([], [], ""),
    ],
)
def test_the_hint_has_the_names_that_there_are(known: list[str], candidates: list[str], hint: str) -> None:
    assert str(UnknownNameError("operator", "sofmax", known, candidates)) == f"unknown operator 'sofmax'{hint}"
