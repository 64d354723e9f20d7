"""A valgrind that is missing, too old or something else is told, with what to do; so is what it can't count."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.core.errors import UsageError
from autoperf.core.outcome import Pass
from autoperf.core.work import CodeCount
from autoperf.counts.requests import chosen_counter
from autoperf.counts.valgrind import find_valgrind, hides_avx512, require_counter, unknown_instruction
from autoperf.measurement import trial_client
from autoperf.measurement.trial_client import with_counts
from autoperf.processes.counters import INSTRUCTIONS, unavailable


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of programs."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def program(folder: Path, text: str) -> None:
    file = folder / "valgrind"
    file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    file.chmod(0o755)


def test_a_missing_valgrind_is_told(path: Path) -> None:
    with pytest.raises(UsageError, match="not installed; on Debian or Ubuntu: `apt-get install valgrind`"):
        find_valgrind()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("echo valgrind-3.9.0", "is version 3.9, but counting needs 3.15"),
        ("echo something else", "which is no version of valgrind"),
        ("echo broken >&2; exit 3", "can't be run: broken"),
    ],
)
def test_another_valgrind_is_told(path: Path, text: str, message: str) -> None:
    program(path, text)
    with pytest.raises(UsageError, match=message):
        find_valgrind()


def test_a_valgrind_is_named_with_its_version(path: Path) -> None:
    program(path, "echo valgrind-3.24.0")
    assert find_valgrind().name == "valgrind 3.24"


def test_what_counts() -> None:
    assert chosen_counter((), "valgrind") == ""
    assert chosen_counter(("instructions",), "valgrind") == "valgrind"
    assert chosen_counter(("instructions",), "processor") == "processor"
    assert chosen_counter(("instructions", "cycles"), None) == "processor"
    assert chosen_counter(("instructions",), None) == ("valgrind" if unavailable(INSTRUCTIONS) else "processor")


def test_what_valgrind_cannot_count_is_told(path: Path) -> None:
    with pytest.raises(UsageError, match="valgrind counts instructions, not cycles: expected --counters instructions"):
        require_counter(("instructions", "cycles"), "valgrind", "cpu")
    with pytest.raises(UsageError, match=r"on the CPU only, not on gpu\(0\): leave out --counters or --ctx"):
        require_counter(("instructions",), "valgrind", "gpu(0)")
    with pytest.raises(UsageError, match="not installed"):
        require_counter(("instructions",), "valgrind", "cpu")


@pytest.mark.parametrize(("flags", "noted"), [("avx2 avx512f avx512dq", True), ("avx2 fma", False)])
@pytest.mark.parametrize(("part", "chooses"), [("oneDNN", True), ("BLAS", True), ("operator", False)])
def test_code_that_is_chosen_by_the_processor_is_noted(
    flags: str, noted: bool, part: str, chooses: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text(f"flags\t: fpu {flags} ssse3\n")
    monkeypatch.setattr(trial_client, "hides_avx512", lambda: hides_avx512(info))
    counted = with_counts(Pass(), [CodeCount("valgrind 3.19", (), {part: 100}, "digest")])
    assert (trial_client.OTHER_CODE in counted.notes) == (noted and chooses)


def test_an_unknown_instruction_is_read_from_the_log() -> None:
    log = "vex amd64->IR: unhandled instruction bytes: 0x62 0xF1 0x7C 0x48 0x10\nvex amd64->IR: REX=0"
    assert unknown_instruction(log) == "0x62 0xF1 0x7C 0x48 0x10"
    assert unknown_instruction("Segmentation fault") is None
