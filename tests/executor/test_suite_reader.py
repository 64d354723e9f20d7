"""A rendered file is a user's program: reading it can't end, stop or soil the process that asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.core.errors import CaseFileError
from autoperf.executor.suite import load
from autoperf.executor.suite_reader import read_suite

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
        "can't be stored",
    ),
    "has a name that is none": (GOOD.replace("exp", "../exp"), "'../exp' is no name"),
    "has a header of another type": (GOOD.replace('"exponential"', "5"), "category"),
    "names a tensor by a number": (GOOD.replace("dict(data=tensor((2, 2)))", "{1: tensor((2, 2))}"), "the input 1"),
}


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "suite.py"
    path.write_text(text)
    return path


def test_a_good_file_is_what_load_makes_of_it(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD + "print('noise')\n")
    assert read_suite(path, tmp_path, 60.0) == load(path)


@pytest.mark.parametrize("nature", NASTY)
def test_a_nasty_file_costs_an_error_in_words(tmp_path: Path, nature: str) -> None:
    text, words = NASTY[nature]
    with pytest.raises(CaseFileError, match=words):
        read_suite(written(tmp_path, text), tmp_path, 2.0 if "no end" in nature else 60.0)
