"""A rendered file is a user's program: reading it can't end, stop or soil the process that asks."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from autoperf.cases.suite import load
from autoperf.cases.suite_reader import read_suite
from autoperf.core.errors import CaseFileError

MEMORY = 2**28
HEAD = """
from autoperf.bench import Suite, case, constant, tensor, uniform
SUITE = Suite(operator="exp", category="exponential")
"""
GOOD = HEAD + "@case()\ndef small():\n    return dict(data=tensor((2, 2)))\n"
NASTY = {
    "ends the process": (GOOD + "import os\nos._exit(0)\n", "exit status 0"),
    "crashes it": (GOOD + "import ctypes\nctypes.string_at(0)\n", "SIGSEGV|exit status"),
    "has no end": (GOOD + "while True:\n    pass\n", "within the limit of 2 s"),
    "raises": (GOOD + "raise KeyError('x')\n", "KeyError"),
    "has a number that is none": (
        GOOD.replace("(2, 2)", "(2, 2), 'float32', constant(float('nan'))"),
        "invalid value nan of the content",
    ),
    "has a name that is none": (GOOD.replace("exp", "../exp"), "invalid operator '../exp': expected a name"),
    "has a header of another type": (GOOD.replace('"exponential"', "5"), "category"),
    "takes too much memory": (GOOD + "hog = bytearray(2**30)\n", "MemoryError: it needs more than the limit of 256"),
    "takes too much memory in a case": (
        GOOD.replace("return", "hog = [0] * 2**28\n    return"),
        "MemoryError: it needs more than the limit of 256",
    ),
    "marks a case without parentheses": (
        GOOD + "@case\ndef large():\n    return dict(data=tensor((9, 9)))\n",
        r"line 7: invalid @case: expected parentheses, @case\(\)",
    ),
    "names a tensor by a number": (
        GOOD.replace("dict(data=tensor((2, 2)))", "{1: tensor((2, 2))}"),
        "invalid input 1: expected a unique argument name",
    ),
}


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "suite.py"
    path.write_text(text)
    return path


def test_a_good_file_is_what_load_makes_of_it(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD + "print('noise')\n")
    assert read_suite(path, tmp_path, 60.0, MEMORY) == load(path)


def test_reading_starts_no_numpy(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD + "import sys\nassert 'numpy' not in sys.modules\n")
    assert read_suite(path, tmp_path, 60.0, MEMORY)


@pytest.mark.parametrize("nature", NASTY)
def test_a_nasty_file_costs_an_error_in_words(tmp_path: Path, nature: str) -> None:
    text, words = NASTY[nature]
    with pytest.raises(CaseFileError, match=words):
        read_suite(written(tmp_path, text), tmp_path, 2.0 if "no end" in nature else 60.0, MEMORY)


def test_what_a_file_starts_ends_with_its_reading(tmp_path: Path) -> None:
    place = tmp_path / "pid"
    start = f"open({str(place)!r}, 'w').write(str(subprocess.Popen(['sleep', '600']).pid))"
    read_suite(written(tmp_path, f"{GOOD}import subprocess\n{start}\n"), tmp_path, 60.0, MEMORY)
    process, deadline = Path("/proc", place.read_text()), time.monotonic() + 60
    while _lives(process):
        assert time.monotonic() < deadline
        time.sleep(0.01)


FORGED = msgspec.msgpack.encode([1, {"suite": {"header": 3, "cases": []}}])


@pytest.mark.parametrize("answer", [b"\xff" * 4096, len(FORGED).to_bytes(4, "big") + FORGED], ids=["flood", "forged"])
def test_an_answer_that_is_no_suite_is_refused(tmp_path: Path, answer: bytes) -> None:
    forging = f"import os, sys\nos.write(int(sys.argv[2]), {answer!r})\nos._exit(0)\n"
    with pytest.raises(CaseFileError, match="garbage in place of an answer"):
        read_suite(written(tmp_path, GOOD + forging), tmp_path, 60.0, MEMORY)


def _lives(process: Path) -> bool:
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
