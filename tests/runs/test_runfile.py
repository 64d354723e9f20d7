"""A run file holds every outcome and its provenance, is refused before measuring, and says where it is broken."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
from pathlib import Path

import msgspec
import pytest

from autoperf.core.errors import OutputError
from autoperf.core.ndjson import NdjsonWriter
from autoperf.core.outcome import METHOD, Memory, Outcome, PassMemory, Status
from autoperf.reports.provenance import origin_line, provenance_lines
from autoperf.runs.run_writer import RunWriter, default_path
from autoperf.runs.runfile import VERSION, Provenance, RunHeader, command_line, machine_of, provenance_of, record
from tests.values import ENVIRONMENT, case, outcome, passed, series
from tests.values import HEADER as ORIGIN
from tests.values import MACHINE as BENCH
from tools.stored_run import read_run

HEADER = RunHeader(
    method=METHOD,
    autoperf="0.1.0",
    mxnet="1.9.1",
    seed=42,
    started="2024-01-01T00:00:00+00:00",
    command=("autoperf", "run", "--seed", "42"),
    options={"samples": 5, "operators": ["exp"]},
)
MACHINE = machine_of(record({"version": "1.9.1"}, {}))
CASE = case("exp", 2, 3)
PASS = passed(series([1.0, 2.0]), series([3.0, 4.5]), kernels={"exp": 1.5})


def ended_as(status: Status = Status.MEASURED, **changes: object) -> Outcome:
    """An outcome of this status, whose id names it."""
    is_measured = status is Status.MEASURED
    memory = Memory(PassMemory(24, 24, 0)) if is_measured else None
    values = {"profile": "small", "inputs": CASE.inputs, "outputs": CASE.outputs, "memory": memory, "seconds": 0.0}
    words = {"case": f"exp/{status.value}", "reason": "" if is_measured else "because"}
    return outcome(0, PASS if is_measured else None, status=status, **{**values, **words, **changes})


def interrupting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line is followed by Ctrl-C, before anything else happens."""
    append = NdjsonWriter.append

    def appended(writer: NdjsonWriter, *values: object) -> None:
        append(writer, *values)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(NdjsonWriter, "append", appended)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.ndjson"


@pytest.fixture
def written(path: Path) -> Path:
    with RunWriter(path, HEADER, MACHINE) as writer:
        for status in Status:
            writer.add(ended_as(status))
        writer.finish(1.5)
    return path


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def test_what_is_written_is_read(written: Path) -> None:
    run = read_run(written)
    assert (run.header, run.machines) == (HEADER, (MACHINE,))
    assert run.outcomes == tuple(ended_as(status) for status in Status)
    assert run.end is not None
    assert (run.end.asked, run.end.measured, run.end.skipped, run.end.failed) == (5, 1, 1, 1)
    assert (run.end.crashed, run.end.timeout, run.end.seconds, run.end.complete) == (1, 1, 1.5, True)


def test_the_lines_are_what_is_promised_to_other_programs(written: Path) -> None:
    header, machine, *outcomes, end = (json.loads(line) for line in lines(written))
    assert list(header)[:2] == ["type", "version"]
    assert (header["type"], header["version"], header["seed"]) == ("run", VERSION, 42)
    assert (machine["type"], machine["id"]) == ("machine", MACHINE.id)
    assert {"environment", "reference", "roofline"}.isdisjoint(header)
    promised = {
        "type", "case", "operator", "category", "status", "reason", "inputs", "forward", "backward", "memory",
    }  # fmt: skip
    assert all(promised <= set(line) for line in outcomes)
    assert outcomes[0]["forward"]["kernel_us"]["samples"] == [1.0, 2.0]
    assert {"mean", "median", "p50", "p90", "p99", "min", "max", "std", "samples"} <= set(
        outcomes[0]["forward"]["wall_us"]
    )
    assert [line["status"] for line in outcomes] == [status.value for status in Status]
    assert (end["type"], end["asked"]) == ("end", 5)


def test_every_line_is_there_as_soon_as_it_is_written(path: Path) -> None:
    with RunWriter(path, HEADER, MACHINE) as writer:
        for count in range(3):
            assert len(lines(path)) == 2 + count
            writer.add(ended_as(case=f"exp/{count}"))
        writer.finish(0.0, complete=False)
    run = read_run(path)
    assert run.end is not None
    assert not run.end.complete


def test_a_run_that_was_cut_off_has_no_end(written: Path) -> None:
    written.write_bytes(b"".join(lines(written)[:-1]))
    run = read_run(written)
    assert run.end is None
    assert len(run.outcomes) == 5


def test_a_folder_that_does_not_exist_is_found_at_once(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"the folder .*missing doesn't exist"):
        RunWriter(tmp_path / "missing" / "run.ndjson", HEADER, MACHINE)


def test_a_folder_in_place_of_a_file_is_found_at_once(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="it is a folder"):
        RunWriter(tmp_path, HEADER, MACHINE)


def test_an_existing_file_is_left_alone(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(OutputError, match="it exists already"):
        RunWriter(path, HEADER, MACHINE)
    assert path.read_text() == "precious"


def test_a_file_that_cannot_be_made_is_found_at_once(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="File name too long"):
        RunWriter(tmp_path / ("x" * 300), HEADER, MACHINE)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_found_at_once(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="isn't writable"):
        RunWriter(tmp_path / "run.ndjson", HEADER, MACHINE)


def test_an_outcome_of_a_later_visit_replaces_the_earlier_one(path: Path) -> None:
    once = [msgspec.structs.replace(ended_as(), case=case) for case in ("first", "second")]
    twice = [msgspec.structs.replace(earlier, visit=2) for earlier in once]
    with RunWriter(path, HEADER, MACHINE) as writer:
        for earlier in once:
            writer.add(earlier)
        for later in twice:
            writer.add(later, replaced=Status.MEASURED)
        assert read_run(path).outcomes == tuple(twice)
        written = lines(path)
        writer.finish(0.0)
    assert len(written) == len(once) + len(twice) + 2
    assert lines(path)[:-1] == [*written[:2], *written[4:]]
    assert read_run(path).outcomes == tuple(twice)
    # A line of the first visit that is lost isn't missed.
    path.write_bytes(b"".join((*written[:2], *written[3:])))
    assert read_run(path).outcomes == (twice[1], twice[0])


def test_a_finished_file_that_cannot_be_replaced_keeps_all_lines(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with RunWriter(path, HEADER, MACHINE) as writer:
        writer.add(ended_as())
        writer.add(msgspec.structs.replace(ended_as(), visit=2), replaced=Status.MEASURED)
        monkeypatch.setattr(Path, "replace", no_space)
        writer.finish(0.0)
    assert len(lines(path)) == 5
    assert [run.visit for run in read_run(path).outcomes] == [2]
    assert list(path.parent.iterdir()) == [path]


def test_a_full_disk_keeps_what_was_written(path: Path) -> None:
    """A limit on the size of files stands for the disk: the write that crosses it stops half way."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    line = len(msgspec.json.encode(ended_as(case="exp/measure1"))) + 1
    with RunWriter(path, HEADER, MACHINE) as writer:
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + line * 5 // 2, before[1]))
            writer.add(ended_as(case="exp/measure1"))
            writer.add(ended_as(case="exp/measure2"))
            with pytest.raises(OutputError, match="2 outcomes are kept in it"):
                writer.add(ended_as(case="exp/measure3"))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, handler)
    assert len(read_run(path).outcomes) == 2


def test_an_incomplete_run_needs_no_room_for_its_last_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(*_values: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with RunWriter(path, HEADER, MACHINE) as writer:
        writer.add(ended_as())
        monkeypatch.setattr(NdjsonWriter, "append", no_space)
        end = writer.finish(1.0, complete=False)
        with pytest.raises(OutputError, match="1 outcome is kept in it"):
            writer.finish(1.0)
    assert (end.complete, end.asked) == (False, 1)
    assert (read_run(path).end, len(read_run(path).outcomes)) == (None, 1)


def fail_after(path: Path, status: Status, error: type[Exception] = RuntimeError) -> None:
    with RunWriter(path, HEADER, MACHINE) as writer:
        writer.add(ended_as(status))
        raise error("wrong")


def test_a_run_that_fails_before_anything_was_measured_leaves_no_file(path: Path) -> None:
    with pytest.raises(RuntimeError, match="wrong"):
        fail_after(path, Status.SKIPPED)
    assert not path.exists()


@pytest.mark.parametrize("status", [Status.MEASURED, Status.FAILED, Status.CRASHED, Status.TIMEOUT])
def test_a_run_that_fails_later_keeps_its_file(path: Path, status: Status) -> None:
    with pytest.raises(RuntimeError, match="wrong"):
        fail_after(path, status)
    assert len(read_run(path).outcomes) == 1


def test_outcomes_that_are_said_to_be_kept_are(path: Path) -> None:
    with pytest.raises(OutputError, match="wrong"):
        fail_after(path, Status.SKIPPED, OutputError)
    assert len(read_run(path).outcomes) == 1


def test_default_paths_are_new(tmp_path: Path) -> None:
    first = default_path(tmp_path / "runs", "20240101")
    assert first == tmp_path / "runs" / "20240101.ndjson"
    first.touch()
    assert default_path(tmp_path / "runs", "20240101") == tmp_path / "runs" / "20240101-2.ndjson"
    with pytest.raises(OutputError, match="can't make the folder"):
        default_path(first / "runs", "20240101")


def test_text_that_is_no_unicode_is_written_with_escapes(tmp_path: Path) -> None:
    path = tmp_path / "run.ndjson"
    with RunWriter(path, HEADER, MACHINE) as writer:
        writer.add(ended_as(Status.SKIPPED, reason="half \ud800"))
        writer.finish(1.0)
    assert read_run(path).outcomes[0].reason == "half \\ud800"


def test_ctrl_c_does_not_part_a_line_from_its_count(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RunWriter(path, HEADER, MACHINE) as writer:
        interrupting(monkeypatch)
        with pytest.raises(KeyboardInterrupt):
            writer.add(ended_as())
        with pytest.raises(KeyboardInterrupt):
            writer.finish(1.0, complete=False)
    run = read_run(path)
    assert run.end
    assert run.end.asked == len(run.outcomes) == 1


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("/opt/venv/bin/autoperf", "run", "--operator", "broadcast_*"), "autoperf run --operator 'broadcast_*'"),
        (("/src/autoperf/__main__.py", "run"), "autoperf run"),
        ((), ""),
    ],
)
def test_a_command_is_told_as_a_shell_takes_it(words: tuple[str, ...], text: str) -> None:
    assert command_line(words) == text


def test_several_machines_share_one_provenance() -> None:
    other = machine_of(msgspec.structs.replace(ENVIRONMENT, machine="a", git="1f", mxnet={"threads": 1}))
    origin = provenance_of(ORIGIN, (BENCH, other))
    assert (origin.machine, origin.processor, origin.threads) == ("a, bench", "Some CPU @ 2.50GHz", None)
    assert (origin.revision, provenance_of(ORIGIN, (BENCH,)).threads) == ("1f", 2)


MADE = Provenance(
    release="1.9.1", build="/venv/lib/python3.11/site-packages/mxnet/libmxnet.so", revision="d260dcc08671aa",
    machine="m", processor="CPU", threads=1, date="today", autoperf="0.1.0", seed=0,
    command="autoperf run --operator exp",
)  # fmt: skip


@pytest.mark.parametrize(
    ("build", "command", "named"),
    [
        (MADE.build, MADE.command, True),
        ("/cache/releases/1.9.1/mxnet/libmxnet.so", MADE.command, True),
        ("/src/build/libmxnet.so", MADE.command, False),
        ("/src/build/libmxnet.so", "autoperf run --mxnet /src/build", True),
    ],
)
def test_a_build_that_is_named_has_its_path_on_request_alone(build: str, command: str, named: bool) -> None:
    provenance = msgspec.structs.replace(MADE, build=build, command=command)
    short, full = origin_line({"": provenance}), " ".join(provenance_lines(provenance))
    assert (build in short) != named
    assert build in full
    assert "revision" not in short
    assert "in a folder at revision d260dcc08671:" in full
