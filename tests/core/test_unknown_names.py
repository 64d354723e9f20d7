"""An unknown name is told with those that it may stand for."""

from __future__ import annotations

import pytest

from autoperf.core.errors import UnknownNameError, nearest


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


def test_swapped_letters_are_nearer_than_other_letters() -> None:
    models = ["resnet18_v1", "resnet34_v1", "resnet50_v1", "resnet101_v1", "resnet18_v2", "resnet50_v2", "vgg16"]
    assert nearest("resnet81", models)[:2] == ["resnet18_v2", "resnet18_v1"]
    assert nearest("anything", []) == []
