"""A hunt's log holds every event, says where it is broken, and is taken up where its last whole line ends."""

from __future__ import annotations

import gzip
import json
import re
import resource
import signal
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.events import (
    CandidateDropped,
    CandidateFollowed,
    FindingConfirmed,
    HuntFinished,
    HuntResumed,
    InputTried,
    LoggedEvent,
    OperatorSearched,
    PairTimed,
    ResultsCompared,
)
from autoperf.hunt.neighbours import UNEQUAL
from autoperf.runs.huntlog import VERSION, HuntLog, is_hunt_log, open_for_resume, read_log
from tests.finding_values import HEADER, LOOP, SEARCHED, SOFTMAX, TAKE, softmax
from tests.kept_hunts import LOGS, name_of

CASE = softmax()
EVENTS: tuple[LoggedEvent, ...] = (
    InputTried(at=0.1, operator="softmax", id=CASE.id, case=CASE, forward_us=(1.5, 2.5), backward_us=(3.0,)),
    InputTried(at=0.2, operator="_foreach", id=LOOP.id, case=LOOP, refused="inputs and outputs are too large"),
    CandidateFollowed(at=0.3, operator="softmax", pass_="backward", id=CASE.id, oracle="model", strength=3.5),
    PairTimed(
        at=0.4, operator="softmax", pass_="backward", first=CASE, second=softmax(axis=-1),
        first_us=(4.0, 5.0), second_us=(1.0, 1.5),
    ),
    CandidateDropped(at=0.5, operator="softmax", pass_="backward", id=CASE.id, reason="not slow again"),
    FindingConfirmed(at=0.6, finding=TAKE),
    OperatorSearched(at=0.7, searched=SEARCHED[0]),
    HuntResumed(at=0.7, started="2024-02-02", command=("autoperf", "hunt"), machine="here", load=(0.5, 0.2, 0.1)),
    ResultsCompared(at=0.75, operator="softmax", case=CASE, side=0, passes=("forward",), reason="no gradient"),
)  # fmt: skip
END = HuntFinished(at=0.8)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.ndjson"


def written(path: Path, *events: LoggedEvent) -> Path:
    with HuntLog(path, HEADER) as log:
        for event in events:
            log.write(event)
    return path


def read(path: Path) -> tuple[LoggedEvent, ...]:
    header, events = read_log(path)
    assert header == HEADER
    return tuple(events)


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def test_what_is_written_is_read(path: Path) -> None:
    assert read(written(path, *EVENTS, END)) == (*EVENTS, END)


def test_the_lines_are_what_is_promised_to_other_programs(path: Path) -> None:
    header, *events = (json.loads(line) for line in lines(written(path, *EVENTS, END)))
    assert list(header)[:2] == ["type", "version"]
    assert (header["type"], header["version"], header["seed"], header["budget"]) == ("hunt", VERSION, 7, 60.0)
    kinds = ["tried", "tried", "suspect", "duel", "dropped", "finding", "searched", "resumed", "compared", "end"]
    assert [event["type"] for event in events] == kinds
    assert (events[2]["pass"], events[0]["forward_us"], events[0]["case"]["params"]) == (
        "backward",
        [1.5, 2.5],
        {"axis": 0},
    )
    assert all("at" in event for event in events)


def test_every_line_is_there_as_soon_as_it_is_written(path: Path) -> None:
    with HuntLog(path, HEADER) as log:
        for count, event in enumerate(EVENTS):
            assert len(lines(path)) == 1 + count
            log.write(event)


def test_events_are_read_as_they_are_asked_for(path: Path) -> None:
    """What is broken further on disturbs nobody who doesn't get there."""
    written(path, *EVENTS)
    path.write_bytes(path.read_bytes().replace(b'"dropped"', b'"unheard of"'))
    _, events = read_log(path)
    assert [next(events) for _ in range(4)] == list(EVENTS[:4])
    with pytest.raises(CaseFileError, match=r"line 6: .*unheard of"):
        next(events)


def test_a_packed_log_is_read(path: Path) -> None:
    packed = path.with_name("log.ndjson.gz")
    packed.write_bytes(gzip.compress(written(path, *EVENTS, END).read_bytes()))
    assert is_hunt_log(packed)
    assert read(packed) == (*EVENTS, END)


@pytest.mark.parametrize(
    ("damaged", "says"),
    [
        (lambda data: data[:-40], "ended before the end-of-stream"),
        (lambda data: b"{}\n", "Not a gzipped file"),
        (lambda data: data[:200] + bytes(100) + data[300:], "Error -3 while decompressing"),
    ],
)
def test_a_damaged_archive_is_an_error(path: Path, damaged: Callable[[bytes], bytes], says: str) -> None:
    packed = path.with_name("log.ndjson.gz")
    packed.write_bytes(damaged(gzip.compress(written(path, *EVENTS, END).read_bytes())))
    with pytest.raises(CaseFileError, match=f"can't read .*log.ndjson.gz: expected a whole gzip archive; .*{says}"):
        read(packed)


def test_a_log_is_taken_up_wherever_it_was_cut_off(path: Path) -> None:
    whole = written(path, *EVENTS, END).read_bytes()
    first = len(lines(path)[0])
    for length in {*range(first, len(whole), 97), len(whole) - 1}:
        path.write_bytes(whole[:length])
        kept = EVENTS[: whole[:length].count(b"\n") - 1]
        begun = open_for_resume(path)
        assert path.stat().st_size == length
        assert (begun.header, begun.complete, tuple(begun.events())) == (HEADER, False, kept)
        assert begun.at == (kept[-1].at if kept else 0.0)
        with HuntLog(path, HEADER, resumed=begun) as log:
            for event in (*EVENTS[len(kept) :], END):
                log.write(event)
        assert path.read_bytes() == whole


def test_the_end_of_an_interrupted_hunt_is_cut_off(path: Path) -> None:
    written(path, *EVENTS, HuntFinished(at=9.0, complete=False))
    begun = open_for_resume(path)
    assert (begun.complete, begun.at) == (False, 9.0)
    with HuntLog(path, HEADER, resumed=begun) as log:
        log.write(EVENTS[2])
    assert read(path) == (*EVENTS, EVENTS[2])


def test_a_hunt_that_came_to_its_end_says_so(path: Path) -> None:
    with open_for_resume(written(path, *EVENTS, END)).file:
        pass
    begun = open_for_resume(path)
    assert begun.complete
    begun.file.close()


def test_a_hunt_that_goes_on_is_left_alone(path: Path) -> None:
    with HuntLog(path, HEADER), pytest.raises(OutputError, match="still running"):
        open_for_resume(path)
    open_for_resume(path).file.close()


def test_an_existing_file_is_left_alone(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(OutputError, match="File exists"):
        HuntLog(path, HEADER)
    assert path.read_text() == "precious"


def test_a_full_disk_keeps_what_was_written(path: Path) -> None:
    """A limit on the size of files stands for the disk: the write that crosses it stops half way."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    line = len(msgspec.json.encode(EVENTS[0])) + 1
    with HuntLog(path, HEADER) as log:
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + line * 3 // 2, before[1]))
            log.write(EVENTS[0])
            with pytest.raises(OutputError, match=r"log\.ndjson: File too large; the log so far is kept"):
                log.write(EVENTS[0])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, handler)
    assert read(path) == EVENTS[:1]


@pytest.mark.parametrize(
    ("number", "old", "new", "words"),
    [
        (1, b'"version":1', b'"version":2', "version 2 of the hunt format; this autoperf reads version 1"),
        (1, b'"hunt"', b'"run"', "invalid hunt file"),
        (1, b'"seed":7', b'"seed":"x"', "line 1: .*seed"),
        (2, b'"axis":0', b'"axis":1', "line 2: invalid id softmax/[0-9a-f]{8}: expected softmax/"),
        (2, b'"shape":[4096,64]', b'"shape":[-1]', "line 2: input data: invalid shape"),
        (5, b'"pass":"backward"', b'"pass":"sideways"', "line 5: .*sideways"),
        (7, b'"family":', b'"fancy":', "line 7: .*family"),
        (
            7,
            b'"finding":{"operator":"take"',
            b'"finding":{"operator":"../take"',
            "line 7: invalid operator '../take' of a finding",
        ),
        (7, b'"contrast_us":', b'"contrast_us":0.0,"old":', r"line 7: .* > 0.0 .*finding.contrast_us"),
        (7, b'"common":null', b'"common":{"total_us":0.0,"pass_us":0.0,"trait_us":0.0}', "line 7: .*common.total_us"),
        (7, b'"code":null', b'"code":{"by":"valgrind","slow":-1,"fast":1,"work":1.0}', "line 7: .*code.slow"),
        (1, b'"sides":[]', b'"sides":[{"words":"A","mxnet":"1.9.1"}]', "line 1: .*sides 1: expected none or two"),
        (3, b"{", b"", "line 3: "),
        (
            9,
            b"\n",
            b'\n{"type":"end","at":1.0}\n{"type":"end","at":2.0}\n',
            "line 11: unexpected line after the end in line 10",
        ),
    ],
)
def test_a_broken_line_is_named(path: Path, number: int, old: bytes, new: bytes, words: str) -> None:
    found = lines(written(path, *EVENTS))
    assert old in found[number - 1]
    found[number - 1] = found[number - 1].replace(old, new, 1)
    path.write_bytes(b"".join(found))
    with pytest.raises(CaseFileError, match=words):
        read(path)
    if number == 1 or "after the end" in words:
        with pytest.raises(CaseFileError, match=words):
            open_for_resume(path)
        return
    begun = open_for_resume(path)
    with begun.file:
        assert tuple(begun.events()) == (*EVENTS[: number - 2], *EVENTS[number - 1 :])
        assert [re.search(f"{words}.*; the line is left out", text) is not None for text in begun.notices] == [True]
        assert (begun.length, begun.at) == (path.stat().st_size, EVENTS[-1].at)


def test_a_last_line_that_cannot_be_read_ends_nothing(path: Path) -> None:
    written(path, *EVENTS, END)
    path.write_bytes(path.read_bytes().replace(b'{"type":"end"', b'{"type":"and"'))
    begun = open_for_resume(path)
    with begun.file:
        assert (begun.complete, begun.at, len(begun.notices)) == (False, EVENTS[-1].at, 1)
        assert tuple(begun.events()) == EVENTS


@pytest.mark.parametrize("content", [b"", b'{"type": "hu'])
def test_a_file_without_a_whole_line_is_no_log(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for reader in (read_log, open_for_resume):
        with pytest.raises(CaseFileError, match="has no complete line"):
            reader(path)


def test_what_is_not_there_is_told(path: Path) -> None:
    with pytest.raises(CaseFileError, match=r"can't read .*: No such file"):
        read_log(path)
    with pytest.raises(OutputError, match=r"can't resume .*: No such file"):
        open_for_resume(path)


@pytest.mark.parametrize("log", LOGS, ids=name_of)
def test_kept_logs_say_by_their_words_whether_contents_are_alike(log: Path) -> None:
    findings = [line.finding for line in read_log(log)[1] if isinstance(line, FindingConfirmed)]
    assert findings
    for finding in findings:
        assert finding.equal_work is (UNEQUAL not in finding.step)


def test_a_finding_states_whether_its_work_is_equal(path: Path) -> None:
    events = [
        FindingConfirmed(at=0.1, finding=msgspec.structs.replace(finding, equal_work=equal))
        for finding, equal in ((TAKE, False), (SOFTMAX, True))
    ]
    stored = [line.finding for line in read_log(written(path, *events))[1] if isinstance(line, FindingConfirmed)]
    assert [finding.is_equal_work for finding in stored] == [False, True]


def test_a_file_that_the_disk_fails_to_read_is_named() -> None:
    with pytest.raises(CaseFileError, match="can't read /proc/self/mem: Input/output error"):
        is_hunt_log(Path("/proc/self/mem"))
