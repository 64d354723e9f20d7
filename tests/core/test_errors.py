"""Errors: the places of mistakes in users' files, and names that an unknown one may stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.core.errors import UnknownNameError, innermost_line, innermost_place, nearest

OUTER = "def call(function):\n    function()\n"
INNER = "def fail():\n    int('x')\n"


def run(path: Path, source: str) -> dict[str, object]:
    namespace: dict[str, object] = {}
    exec(compile(source, str(path), "exec"), namespace)
    return namespace


@pytest.fixture
def error(tmp_path: Path) -> ValueError:
    outer, inner = run(tmp_path / "outer.py", OUTER), run(tmp_path / "inner.py", INNER)
    with pytest.raises(ValueError, match="'x'") as raised:
        outer["call"](inner["fail"])  # type: ignore[operator]
    return raised.value


def test_the_innermost_frame_of_the_files_is_the_place(tmp_path: Path, error: ValueError) -> None:
    files = {str(tmp_path / "outer.py"), str(tmp_path / "inner.py")}
    place = innermost_place(error, files)
    assert place is not None
    assert (place.filename, place.lineno) == (str(tmp_path / "inner.py"), 2)
    assert innermost_place(error, {"absent.py"}) is None


def test_the_line_is_that_of_the_file(tmp_path: Path, error: ValueError, monkeypatch: pytest.MonkeyPatch) -> None:
    assert innermost_line(error, tmp_path / "outer.py") == 2
    assert innermost_line(error, tmp_path / "absent.py") is None
    monkeypatch.chdir(tmp_path)
    assert innermost_line(error, Path("outer.py")) == 2


def test_a_syntax_error_has_a_line_in_its_own_file_only(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    with pytest.raises(SyntaxError) as raised:
        run(file, "x = 1\ny = = 2\n")
    assert innermost_line(raised.value, file) == 2
    assert innermost_line(raised.value, tmp_path / "other.py") is None


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
