"""A hunt's folder: everything that is confirmed stands in it at once, in every form, and a killed hunt's too."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from autoperf.core import finding as nouns
from autoperf.core.errors import CaseFileError, OutputError, UsageError
from autoperf.core.events import FindingConfirmed, HuntFinished, LoggedEvent, Notice, OperatorSearched
from autoperf.core.finding import Finding, SideRecord
from autoperf.hunt.request import HuntRequest
from autoperf.hunt.session import HuntSession
from autoperf.hunt.stored import CASES, JSON, HuntFolder, InputsRecord, TensorRecord, finding_variables, read_hunt
from autoperf.runs.huntlog import LOG, HuntHeader, open_for_resume
from autoperf.runs.runfile import record
from tests.finding_values import HEADER, LOOP, SEARCHED, SOFTMAX, TAKE, finding, softmax
from tests.values import Recording, stored_cases

SECOND = finding(softmax((64, 64, 64), 1), softmax(axis=-1), 3.0)
SIDES = SideRecord(words="MXNet 1.9.1", mxnet="1.9.1"), SideRecord(words="MXNet 2.0.0b1", mxnet="2.0.0b1")
OTHER_PASS = finding(ratio=2.5, pass_="backward")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "hunts" / "first"


def said(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / JSON).read_text())
    return value


def ids(folder: Path) -> list[tuple[str, str]]:
    return [(case.id, case.profile) for case in stored_cases(folder / CASES)]


def test_a_finding_is_there_at_once_in_every_form(place: Path) -> None:
    with HuntFolder(place, HEADER) as folder:
        assert said(place)["findings"] == []
        folder.write(FindingConfirmed(at=1.5, finding=SOFTMAX))
        (found,) = said(place)["findings"]
        assert found["replay"] == f"autoperf hunt --replay {place} 1"
        assert ids(place) == [(SOFTMAX.case.id, "finding"), (SOFTMAX.contrast.id, "contrast")]
        assert (said(place)["searched"]["complete"], said(place)["searched"]["seconds"]) == (False, 1.5)


def test_the_json_is_what_is_promised_to_other_programs(place: Path) -> None:
    with HuntFolder(place, HEADER) as folder:
        folder.write(FindingConfirmed(at=1.0, finding=TAKE))
        for searched in SEARCHED:
            folder.write(OperatorSearched(at=2.0, searched=searched))
        folder.write(HuntFinished(at=3.0))
    value = said(place)
    assert list(value) == ["causes", "own", "findings", "searched"]
    (found,) = value["findings"]
    assert found["inputs"] == {
        "case": TAKE.case.id,
        "tensors": [
            {"name": "a", "shape": [8, 1024], "dtype": "float16", "storage": "row_sparse", "density": 0.5},
            {
                "name": "indices",
                "shape": [100],
                "dtype": "int64",
                "content": {"kind": "integers", "low": 0, "high": 8},
            },
        ],
        "params": {"mode": "clip"},
        "training": False,
    }
    assert found["contrast"]["tensors"][1]["shape"] == [101]
    assert (found["operator"], found["pass"], found["family"]) == ("take", "backward", TAKE.family)
    assert (found["ratio"], found["low"], found["high"]) == (123.4, TAKE.estimate.low, TAKE.estimate.high)
    assert (found["expected_us"], found["actual_us"], found["contrast_us"]) == (
        TAKE.expected_us,
        1234.5,
        TAKE.contrast_us,
    )
    assert found["oracles"][0] == {
        "oracle": "neighbour",
        "strength": 123.4,
        "says": "as much work, one step away, takes 294 us",
        "low": TAKE.evidence[0].low,
        "high": TAKE.evidence[0].high,
    }
    assert (found["kernels"], found["step"]) == ({"softmax": 1200.5}, TAKE.step)
    searched = value["searched"]
    assert searched.pop("operators") == json.loads(msgspec.json.encode(SEARCHED))
    assert searched == {
        "seed": 7,
        "budget": 60.0,
        "seconds": 3.0,
        "complete": True,
        "mxnet": "1.9.1",
        "autoperf": "0.1.0",
        "threads": 2,
        "sides": [],
    }


def test_the_page_on_formats_names_every_key(place: Path) -> None:
    with HuntFolder(place, HEADER) as folder:
        folder.write(FindingConfirmed(at=1.0, finding=TAKE))
    written = said(place)
    page = (Path(__file__).parents[2] / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    section = page.partition("## The folder of a hunt")[2].partition("\n## ")[0]
    kinds: tuple[type[msgspec.Struct], ...] = (
        *(InputsRecord, TensorRecord, HuntHeader),
        *(nouns.Searched, nouns.Fit, nouns.Evidence, nouns.CommonTime),
        *get_args(LoggedEvent),
    )
    named = {field.encode_name for kind in kinds for field in msgspec.structs.fields(kind)}
    named |= {*written, *written["findings"][0], *written["searched"]}
    tags = {kind.__struct_config__.tag for kind in get_args(LoggedEvent)}
    assert {name for name in named | tags if not re.search(rf"[`\"]{name}[`\"]", section)} == set()


def test_graphs_are_part_of_the_inputs(place: Path) -> None:
    with HuntFolder(place, HEADER) as folder:
        folder.write(FindingConfirmed(at=1.0, finding=finding(LOOP, LOOP)))
    inputs = said(place)["findings"][0]["inputs"]
    assert (inputs["way"], inputs["graphs"]["fn"]["outputs"]) == ("graph", ["sum"])


def test_each_finding_has_a_number_and_each_case_stands_once(place: Path) -> None:
    found = (SOFTMAX, TAKE, SECOND, OTHER_PASS)
    with HuntFolder(place, HEADER) as folder:
        for one in found:
            folder.write(FindingConfirmed(at=1.0, finding=one))
        assert tuple(folder.findings.values()) == found
    assert [one["replay"].rpartition(" ")[2] for one in said(place)["findings"]] == ["1", "2", "3", "4"]
    assert said(place)["findings"][3]["pass"] == "backward"
    # Three findings of softmax share a contrast, two of them their input.
    assert [case for case, _ in ids(place)] == [
        SOFTMAX.case.id, SOFTMAX.contrast.id, SECOND.case.id, TAKE.case.id, TAKE.contrast.id,
    ]  # fmt: skip


def test_a_finding_comes_once(place: Path) -> None:
    with HuntFolder(place, HEADER) as folder:
        folder.write(FindingConfirmed(at=1.0, finding=SOFTMAX))
        folder.write(FindingConfirmed(at=2.0, finding=SOFTMAX))
    assert len(said(place)["findings"]) == 1
    assert len((place / LOG).read_bytes().splitlines()) == 2


def test_ctrl_c_parts_no_finding_from_its_line(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with HuntFolder(place, HEADER) as folder:
        write = folder.log.write

        def interrupted(event: LoggedEvent) -> None:
            write(event)
            signal.raise_signal(signal.SIGINT)

        monkeypatch.setattr(folder.log, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            folder.write(FindingConfirmed(at=1.0, finding=SOFTMAX))
        assert list(folder.findings.values()) == [SOFTMAX]
    assert len(said(place)["findings"]) == 1


def test_a_finding_whose_family_grew_takes_the_place_of_what_it_was(place: Path) -> None:
    with HuntFolder(place, HEADER) as folder:
        folder.write(FindingConfirmed(at=1.0, finding=SOFTMAX))
        folder.write(FindingConfirmed(at=2.0, finding=msgspec.structs.replace(SOFTMAX, family="a wider one")))
    (finding,) = said(place)["findings"]
    assert finding["family"] == "a wider one"


def test_a_killed_hunt_goes_on_with_what_it_had(place: Path) -> None:
    with HuntFolder(place, HEADER) as folder:
        folder.write(FindingConfirmed(at=1.0, finding=SOFTMAX))
        folder.write(OperatorSearched(at=2.0, searched=SEARCHED[0]))
    # As if it was killed between the log and everything else.
    for file in (place / JSON, place / CASES):
        file.unlink()
    with HuntFolder(place, HEADER, resumed=open_for_resume(place / LOG)) as folder:
        assert (tuple(folder.findings.values()), folder.searched) == ((SOFTMAX,), SEARCHED[:1])
        assert len(said(place)["findings"]) == 1
        folder.write(FindingConfirmed(at=3.0, finding=SOFTMAX))
        folder.write(FindingConfirmed(at=4.0, finding=SECOND))
        again = msgspec.structs.replace(SEARCHED[0], tried=200)
        folder.write(OperatorSearched(at=5.0, searched=again))
        folder.write(HuntFinished(at=5.5))
    value = said(place)
    assert [one["replay"].rpartition(" ")[2] for one in value["findings"]] == ["1", "2"]
    assert [one["tried"] for one in value["searched"]["operators"]] == [200]
    assert (value["searched"]["complete"], value["searched"]["seconds"]) == (True, 5.5)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"autoperf": "0.2.0"}, "expected autoperf 0.1.0, as when it began, got 0.2.0; .* start a new hunt"),
        ({"method": 99}, "expected method of measuring 1, "),
        ({"sides": (SIDES[0], SIDES[0])}, "expected sides 1.9.1, 2.0.0b1, as when it began, got 1.9.1, 1.9.1"),
        ({"environment": record({}, {"OMP_NUM_THREADS": "1"})}, "expected OMP_NUM_THREADS 2, as when it began, got 1"),
    ],
)
def test_a_hunt_goes_on_only_where_it_began(place: Path, changes: dict[str, Any], words: str) -> None:
    began = msgspec.structs.replace(HEADER, sides=SIDES)
    HuntFolder(place, began).close()
    request = HuntRequest(seed=7, budget=60.0, least=2.0, timeout=1.0)
    session = HuntSession(request, place, Recording(), (), open_for_resume(place / LOG))
    with session.opened_folder(began), pytest.raises(UsageError, match=words):
        session.opened_folder(msgspec.structs.replace(began, **changes))


def test_what_may_change_a_resumed_hunt_is_told(place: Path) -> None:
    HuntFolder(place, HEADER).close()
    request, sink = HuntRequest(seed=7, budget=60.0, least=2.0, timeout=1.0), Recording()
    environment = msgspec.structs.replace(HEADER.environment, mxnet=HEADER.environment.mxnet | {"threads": 8})
    session = HuntSession(request, place, sink, (), open_for_resume(place / LOG))
    session.opened_folder(msgspec.structs.replace(HEADER, environment=environment)).close()
    assert sink.events == [Notice("MXNet's threads: 2 when the hunt began, 8 now")]


def test_a_line_of_the_log_that_cannot_be_read_costs_its_finding_alone(place: Path) -> None:
    with HuntFolder(place, HEADER) as folder:
        for finding in (SOFTMAX, TAKE):
            folder.write(FindingConfirmed(at=1.0, finding=finding))
    log = place / LOG
    log.write_bytes(log.read_bytes().replace(b'"family"', b'"fancy"', 1))
    hunted = read_hunt(place)
    assert [finding.operator for finding in hunted.findings.values()] == [TAKE.operator]
    assert [re.search("line 2: .*family", text) is not None for text in hunted.unreadable] == [True]
    before = log.read_bytes()
    with HuntFolder(place, HEADER, resumed=open_for_resume(log)) as folder:
        assert list(folder.findings.values()) == [TAKE]
    assert log.read_bytes() == before


def test_a_log_that_goes_on_behind_its_end_is_left_as_it_is(place: Path) -> None:
    with HuntFolder(place, HEADER) as folder:
        folder.write(HuntFinished(at=1.0))
    log = place / LOG
    log.write_bytes(log.read_bytes() + b'{"type":"end","at":2.0}\n')
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    with pytest.raises(CaseFileError, match="unexpected line after the end in line 2"):
        HuntFolder(place, HEADER, resumed=open_for_resume(log))
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


def test_the_variables_that_matter_are_those_of_mxnet_and_its_extensions() -> None:
    assert finding_variables(HEADER) == {"AUTOPERF_EXTENSIONS": "/a b/libcliff.so", "OMP_NUM_THREADS": "2"}


def test_a_folder_with_something_in_it_is_left_alone(place: Path) -> None:
    place.mkdir(parents=True)
    (place / "precious").touch()
    with pytest.raises(OutputError, match=r"is not empty; name a new folder, or resume its hunt with --resume"):
        HuntFolder(place, HEADER)
    assert [path.name for path in place.iterdir()] == ["precious"]


def test_an_empty_folder_will_do(place: Path) -> None:
    place.mkdir(parents=True)
    HuntFolder(place, HEADER).close()
    assert said(place)["findings"] == []
    with pytest.raises(CaseFileError, match="has no cases"):
        ids(place)


def test_where_no_folder_can_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="can't make the folder"):
        HuntFolder(tmp_path / "file", HEADER)


def test_a_file_that_cannot_be_written_is_told(place: Path) -> None:
    with HuntFolder(place, HEADER) as folder:
        (place / CASES).unlink()
        (place / CASES).mkdir()
        with pytest.raises(OutputError, match=rf"can't write .*{CASES}: Is a directory"):
            folder.write(FindingConfirmed(at=1.0, finding=SOFTMAX))


def test_cases_that_were_read_from_a_file_are_told_alike(place: Path) -> None:
    """Values that are equal to a default, but not the same object, are as plain."""
    read: Finding = msgspec.json.decode(msgspec.json.encode(TAKE), type=Finding)
    with HuntFolder(place, HEADER) as folder:
        folder.write(FindingConfirmed(at=1.0, finding=read))
    assert set(said(place)["findings"][0]["inputs"]) == {"case", "tensors", "params", "training"}


def test_a_folder_is_read_again_without_a_change(place: Path) -> None:
    with HuntFolder(place, HEADER) as folder:
        folder.write(FindingConfirmed(at=1.0, finding=SOFTMAX))
        folder.write(FindingConfirmed(at=2.0, finding=SECOND))
        folder.write(OperatorSearched(at=3.0, searched=SEARCHED[0]))
        folder.write(FindingConfirmed(at=4.0, finding=msgspec.structs.replace(SOFTMAX, family="a wider one")))
        known = folder.findings
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    hunted = read_hunt(place)
    assert (hunted.findings, hunted.searched) == (known, SEARCHED[:1])
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before
