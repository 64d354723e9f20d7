"""Case files: what is written is read back; what is wrong is named with its line."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from autoperf.cases.store import VERSION, CasesHeader, StoredGroups, write_cases
from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Boxes, Distinct, Literal_, Matrices, Uniform
from tests.values import case, inputs, stored_cases, tensor

HEADER = CasesHeader(VERSION, "0.1.0", "1.9.1", 42)


def filled(*contents: AnyContent, **params: Value) -> Case:
    """A case with an input of each content."""
    given = inputs(**{f"x{number}": tensor(4, 4, content=one) for number, one in enumerate(contents)})
    return case("op", category="misc", inputs=given, params=params)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "cases.ndjson"
    cases = [
        filled(Uniform(), Matrices("dominant"), Distinct(9, ordered=True)),
        filled(Boxes(2.0, 3.0, ((0, 4), (0, 1))), Literal_((1.0, 2.5)), axis=(0, 1), flag=True, nothing=None),
    ]
    assert write_cases(file, HEADER, cases) == 2
    assert stored_cases(file) == cases


def test_a_line_that_was_edited_is_named(tmp_path: Path) -> None:
    file = tmp_path / "cases.ndjson"
    write_cases(file, HEADER, [filled(Uniform()), filled(Uniform(0.0, 2.0))])
    file.write_text(file.read_text().replace('"high":2.0', '"high":3.0'))
    with pytest.raises(CaseFileError, match=r"line 3: the case says op/.* but its content is op/"):
        stored_cases(file)


@pytest.mark.parametrize(
    ("was", "now", "where"),
    [
        ('"training":true', '"trainig":false', "case.trainig"),
        ('"density":1.0', '"densty":0.5', "case.inputs[0].tensor.densty"),
        ('"high":1.0', '"hihg":2.0', "case.inputs[0].tensor.content.hihg"),
        ('{"type":"case"', '{"type":"case","note":"mine"', "note"),
    ],
)
def test_a_key_that_is_unknown_is_named_with_its_line(tmp_path: Path, was: str, now: str, where: str) -> None:
    file = tmp_path / "cases.ndjson"
    write_cases(file, HEADER, [filled(), filled(Uniform(), axis=(0, 1))])
    first, second, third = file.read_text().splitlines(keepends=True)
    assert was in third
    file.write_text(first + second + third.replace(was, now))
    with pytest.raises(CaseFileError) as caught:
        stored_cases(file)
    assert f"line 3: unknown key '{where}'" in str(caught.value)


def test_what_older_files_leave_out_is_the_default(tmp_path: Path) -> None:
    file = tmp_path / "cases.ndjson"
    write_cases(file, HEADER, [filled(Uniform())])
    text = file.read_text()
    for left_out in (',"training":true', ',"graphs":{}', ',"way":"call"', ',"in_place":[]', ',"outputs":[]'):
        assert left_out in text
        text = text.replace(left_out, "")
    file.write_text(text)
    assert stored_cases(file) == [filled(Uniform())]


def test_a_truncated_file_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "cases.ndjson"
    write_cases(file, HEADER, [filled(Uniform())])
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(CaseFileError, match="line 2: the file ends within the line"):
        stored_cases(file)


def test_where_nothing_can_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="No such file"):
        write_cases(tmp_path / "no" / "cases.ndjson", HEADER, [])


def test_cases_are_read_in_groups_whenever_they_are_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "cases.ndjson"
    made = [filled(Uniform(0.0, 1.0 + number)) for number in range(7)]
    write_cases(file, HEADER, [*made, msgspec.structs.replace(made[0], operator="log"), made[0]])
    groups = StoredGroups(file, limit=3)
    assert [len(group) for group in groups] == [3, 3, 1, 1, 1]
    assert [one for group in groups for one in group][:7] == made
    assert groups[3][0].operator == "log"
    assert groups[-1] == groups[0][:1]
    assert list(groups[1:3]) == [tuple(made[3:6]), (made[6],)]


def test_groups_of_a_broken_file_are_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "cases.ndjson"
    write_cases(file, HEADER, [filled(Uniform())] * 2)
    file.write_bytes(file.read_bytes().replace(b'"id":"', b'"id":"x', 1))
    with pytest.raises(CaseFileError, match="line 2: the case says x"):
        StoredGroups(file)
    write_cases(file, HEADER, [])
    with pytest.raises(CaseFileError, match="has no cases"):
        StoredGroups(file)
    write_cases(file, HEADER, [filled(Uniform())])
    groups = StoredGroups(file)
    file.unlink()
    with pytest.raises(CaseFileError, match="can't read"):
        _ = groups[0]
