"""Files of cases: which a folder has, which cases are kept, and how they reach a hunt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from autoperf.cases.handwritten import OwnInputs
from autoperf.cases.release import Release
from autoperf.cases.selection import Selection
from autoperf.cases.store import VERSION, CasesHeader, StoredGroups, write_cases
from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError, UnknownNameError, UsageError
from autoperf.core.tensors import Shape
from autoperf.hunt.request import HuntRequest, recorded_cases
from autoperf.hunt.sides import SidesRequest, sides_of
from autoperf.measurement.case_files import CaseFiles, Narrowing, files_in, own_inputs
from autoperf.measurement.resumed_run import Remaining
from autoperf.measurement.settings import Settings
from autoperf.measurement.sides import label_sides
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
    monkeypatch.setattr("autoperf.measurement.case_files.MAX_FILES", 2)
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


def hunted(
    releases: Sequence[Release], scratch: Path, notices: list[str] | None = None, **options: object
) -> dict[str, list[Case]]:
    plain = {"seed": 0, "budget": 1.0, "least": 2.0, "elements": 4096, "timeout": 20.0}
    between = SidesRequest(libraries=("1.9.1", "2.0.0b1")) if len(releases) > 1 else None
    request = HuntRequest(**{**plain, "sides": between, **options})  # type: ignore[arg-type]
    found = [] if notices is None else notices
    return recorded_cases(request, sides_of(releases, between, request.settings), scratch, found)


def test_a_hunt_takes_the_same_cases(release: Release, tmp_path: Path, stored: Path) -> None:
    found = hunted([release], tmp_path, cases=(str(stored),), operators=("exp",), profiles=("large",))
    assert [item.inputs[0].tensor.shape for item in found["exp"]] == [(2,), (4,), (6,)]
    own = hunted([release], tmp_path, own=OwnInputs(("data=3x3,4",)), operators=("nd.relu",))
    assert [item.inputs[0].tensor.shape for item in own["relu"]] == [(3, 3), (4,)]
    assert hunted([release], tmp_path) == {}


def test_a_hunt_between_builds_has_own_inputs_by_the_name_that_both_know(
    release: Release, next_release: Release, tmp_path: Path
) -> None:
    assert "cumsum" not in {operator.name for operator in next_release.registry.operators}
    inputs = OwnInputs(("a=64x64",))
    found = hunted([release, next_release], tmp_path, own=inputs, operators=("cumsum",))
    assert [item.inputs[0].tensor.shape for item in found["cumsum"]] == [(64, 64)]


REFUSED = "- {operator: _npi_bitwise_xor, name: NAME, inputs: {lhs: SHAPE, rhs: SHAPE}, dtype: [int32, float32]}"


def refusing(path: Path, name: str, shape: str) -> Path:
    path.write_text(REFUSED.replace("NAME", name).replace("SHAPE", shape))
    return path


def test_cases_of_files_that_cannot_run_are_told(release: Release, tmp_path: Path) -> None:
    written = refusing(tmp_path / "xor.yaml", "x", "4x4")
    stored = tmp_path / "cases.ndjson"
    write_cases(stored, CasesHeader(VERSION, "0", "2.0.0b1", 0), [case("_npi_all", 3), case("_npi_all", 4)])
    notices: list[str] = []
    kept = list(files(release, tmp_path, Selection(), written, stored).cases(notices))
    assert [(one.operator, one.inputs[0].tensor.dtype) for one in kept] == [("_npi_bitwise_xor", "int32")]
    first, second = notices
    assert first.startswith(f"{written}: 1 case of _npi_bitwise_xor skipped: ")
    assert second == f"{stored}: 2 cases of _npi_all skipped: MXNet 1.9.1 has no operator _npi_all"


def test_a_hunt_tells_which_given_inputs_are_skipped(release: Release, tmp_path: Path) -> None:
    notices: list[str] = []
    inputs = {"own": OwnInputs(("lhs=4x4", "rhs=4x4")), "dtypes": ("int32", "float32")}
    found = hunted([release], tmp_path, notices, operators=("_npi_bitwise_xor",), **inputs)
    assert len(found["_npi_bitwise_xor"]) == 1
    (notice,) = notices
    assert notice.startswith("_npi_bitwise_xor: skipped, ")


def test_a_hunt_tells_which_cases_are_no_operators(release: Release, tmp_path: Path, stored: Path) -> None:
    benchmark = tmp_path / "benchmark.yaml"
    benchmark.write_text("- {operator: NDArray_copy, inputs: {x: 4x4}}")
    notices: list[str] = []
    assert set(hunted([release], tmp_path, notices, cases=(str(stored), str(benchmark)))) == {"exp", "relu"}
    assert notices == ["NDArray_copy is no operator that is searched: 1 case left out"]


def test_skipped_cases_of_several_files_have_ids_of_their_own(release: Release, tmp_path: Path) -> None:
    paths = [refusing(tmp_path / f"{shape}.yaml", "x", shape) for shape in ("4x4", "5x5")]
    planned = files(release, tmp_path, Selection(), *paths).planned()
    remaining = Remaining([None])
    batches = list(remaining.of(make() for make in reversed(planned.batches)))
    assert planned.cases == sum(batch.size for (batch,) in batches) == 4
    ids = [outcome.case for (batch,) in batches for outcome in batch.skipped]
    assert ids == ["_npi_bitwise_xor/x-2", "_npi_bitwise_xor/x"]


def test_own_inputs_are_made_by_a_release_that_takes_them(release: Release, next_release: Release) -> None:
    sides = label_sides([release, next_release])
    (group,) = own_inputs(sides, Selection(operators=("softmax",)), OwnInputs(("data=2x3",)), ("float32",))
    assert (group.operator, group.category, len(group.cases)) == ("softmax", "activation", 1)


def counts(cases: Iterable[Case]) -> list[tuple[Shape, int]]:
    return [(case.inputs[0].tensor.shape, sum((case.calls or {}).values())) for case in cases]


def test_recorded_calls_are_counted_together_and_the_most_frequent_come_first(release: Release, tmp_path: Path) -> None:
    """Two rows with and without the default dtype are one call; one that MXNet refuses is skipped with its place."""
    file = tmp_path / "program.csv"
    rows = ["2x2,2x2,float32,3", "4x8,4x8,,2", "2x3,4x5,,1", "4x8,4x8,float32,5"]
    file.write_text("\n".join(["operator,inputs.lhs,inputs.rhs,dtype,count", *(f"elemwise_add,{row}" for row in rows)]))
    planned = files(release, tmp_path, Selection(), file).planned()
    (batch,) = (make()[0] for make in planned.batches)
    assert counts(job.case for job in batch.jobs) == [((4, 8), 7), ((2, 2), 3)]
    (refused,) = batch.skipped
    assert f"{file}, case 3 (elemwise_add)" in refused.reason
    assert planned.cases == 3


def test_a_call_in_two_files_has_the_counts_of_both(release: Release, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.csv", "b.csv")]
    for path, count in zip(paths, (3, 5), strict=True):
        path.write_text(f"operator,inputs.data,count\nrelu,4x8,{count}\n")
    batches = [make()[0] for make in files(release, tmp_path, Selection(), *paths).planned().batches]
    assert [job.case.calls for batch in batches for job in batch.jobs] == [{"a": 3, "b": 5}] * 2


def test_programs_of_one_name_are_refused(release: Release, tmp_path: Path) -> None:
    paths = [tmp_path / folder / "calls.csv" for folder in ("x", "y")]
    for number, path in enumerate(paths):
        path.parent.mkdir()
        path.write_text(f"operator,inputs.data,count\nrelu,4x8,{number + 1}\n")
    with pytest.raises(CaseFileError, match="have different networks with the name 'calls'"):
        files(release, tmp_path, Selection(), *paths).planned()


def test_each_part_of_many_recorded_calls_begins_with_frequent_ones(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A time budget visits the first case of each part first."""
    monkeypatch.setattr("autoperf.measurement.case_files.MAX_GROUP", 4)
    file = tmp_path / "program.csv"
    file.write_text("operator,inputs.data,count\n" + "\n".join(f"exp,{size}x2,{size}" for size in range(1, 11)))
    batches = [make()[0] for make in files(release, tmp_path, Selection(), file).planned().batches]
    assert [[count for _, count in counts(job.case for job in batch.jobs)] for batch in batches] == [
        [10, 7, 4, 1],
        [9, 6, 3],
        [8, 5, 2],
    ]
