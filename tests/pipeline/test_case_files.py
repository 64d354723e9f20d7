"""Files of cases: which a folder has, which cases are kept, and how they reach a hunt."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.cases.handwritten import OwnInputs
from autoperf.cases.store import VERSION, CasesHeader, StoredGroups, write_cases
from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError, UnknownNameError, UsageError
from autoperf.executor.settings import Settings
from autoperf.pipeline.case_files import CaseFiles, Narrowing, files_in
from autoperf.pipeline.hunt_request import HuntRequest, recorded_cases
from autoperf.pipeline.own_cases import own_inputs
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Selection
from autoperf.pipeline.sides import label_sides
from tests.values import case


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "cases.ndjson"
    cases = [case("exp", size, profile="small" if size % 2 else "large") for size in range(1, 8)] + [case("relu", 9)]
    write_cases(path, CasesHeader(VERSION, "0", "1.9.1", 0), cases)
    return path


def files(
    release: Release, scratch: Path, selection: Selection, *paths: Path, profiles: tuple[str, ...] = ()
) -> CaseFiles:
    sides = tuple(label_sides([release]))
    return CaseFiles(paths, sides, Narrowing(sides, selection, profiles), Settings(), scratch)


def test_a_folder_stands_for_its_files_of_cases(tmp_path: Path) -> None:
    for name in ("b.py", "a.yaml", "deep/c.toml", "cases.ndjson", "notes.md", "other.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    found = [path.relative_to(tmp_path).as_posix() for path in files_in([tmp_path])]
    assert found == ["a.yaml", "b.py", "deep/c.toml"]
    assert list(files_in([tmp_path / "other.json"])) == [tmp_path / "other.json"]


def test_hidden_files_and_folders_are_left_out(tmp_path: Path) -> None:
    for name in (".venv/lib/module.py", ".hidden.yaml", "folder/.cache/x.py", "folder/layers.yaml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert list(files_in([tmp_path])) == [tmp_path / "folder" / "layers.yaml"]


def test_a_folder_of_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autoperf.pipeline.case_files.MAX_FILES", 2)
    for number in range(3):
        (tmp_path / f"{number}.yaml").touch()
    with pytest.raises(CaseFileError, match="has more than 2 files of cases: expected the folder of a suite"):
        list(files_in([tmp_path]))


def test_stored_groups_keep_the_selected_cases(stored: Path) -> None:
    groups = StoredGroups(stored, limit=3, keep=lambda case: case.profile == "large")
    sizes = [[item.inputs[0].tensor.shape[0] for item in group] for group in groups]
    assert sizes == [[2], [4, 6]]
    assert groups.cases == 3


def test_the_narrowed_cases_are_planned_and_counted(release: Release, tmp_path: Path, stored: Path) -> None:
    chosen = files(release, tmp_path, Selection(operators=("nd.exp",)), stored, profiles=("small",))
    planned = chosen.planned()
    assert planned.cases == 4
    assert [job.case.profile for make in planned.batches for job in make()[0].jobs] == ["small"] * 4


def test_nothing_selected_is_an_error(release: Release, tmp_path: Path, stored: Path) -> None:
    with pytest.raises(UsageError, match="there are cases of exp, relu"):
        files(release, tmp_path, Selection(operators=("log",)), stored).planned()
    with pytest.raises(UnknownNameError, match="did you mean large"):
        files(release, tmp_path, Selection(), stored, profiles=("lrge",)).planned()
    (tmp_path / "empty").mkdir()
    with pytest.raises(CaseFileError, match="has no file of cases"):
        files(release, tmp_path, Selection(), tmp_path / "empty").planned()


@pytest.mark.parametrize(
    ("selection", "kept"),
    [
        (Selection(categories=("network",)), ["whole"]),
        (Selection(categories=("network", "activation")), ["small", "whole"]),
        (Selection(categories=("activation",)), ["small"]),
        (Selection(categories=("network",), operators=("exp",)), []),
        (Selection(categories=("network",), operators=("abs",)), ["whole"]),
    ],
)
def test_a_category_of_the_file_alone_narrows_it(
    release: Release, tmp_path: Path, selection: Selection, kept: list[str]
) -> None:
    whole = case("abs", 3, profile="whole", category="network")
    cases = [case("relu", 9), case("exp", 9, profile="large"), whole]
    path = tmp_path / "networks.ndjson"
    write_cases(path, CasesHeader(VERSION, "0", "1.9.1", 0), cases)
    narrowed = files(release, tmp_path, selection, path)
    if kept:
        assert [one.profile for one in narrowed.cases([])] == kept
    else:
        with pytest.raises(UsageError, match=r"no case of .* is selected"):
            list(narrowed.cases([]))
    unknown = files(release, tmp_path, Selection(categories=("netwrk",)), path)
    with pytest.raises(UnknownNameError, match="unknown category 'netwrk'; did you mean network"):
        list(unknown.cases([]))


def hunted(release: Release, scratch: Path, **options: object) -> dict[str, list[Case]]:
    plain = {"seed": 0, "budget": 1.0, "least": 2.0, "elements": 4096, "timeout": 20.0}
    request = HuntRequest(**{**plain, **options})  # type: ignore[arg-type]
    return recorded_cases(request, release, scratch, [])


def test_a_hunt_takes_the_same_cases(release: Release, tmp_path: Path, stored: Path) -> None:
    found = hunted(release, tmp_path, cases=(str(stored),), operators=("exp",), profiles=("large",))
    assert [item.inputs[0].tensor.shape for item in found["exp"]] == [(2,), (4,), (6,)]
    own = hunted(release, tmp_path, own=OwnInputs(("data=3x3,4",)), operators=("nd.relu",))
    assert [item.inputs[0].tensor.shape for item in own["relu"]] == [(3, 3), (4,)]
    assert hunted(release, tmp_path) == {}


def test_own_inputs_are_made_by_a_release_that_takes_them(release: Release, next_release: Release) -> None:
    sides = label_sides([release, next_release])
    (group,) = own_inputs(sides, Selection(operators=("softmax",)), OwnInputs(("data=2x3",)), ("float32",))
    assert (group.operator, group.category, len(group.cases)) == ("softmax", "activation", 1)
