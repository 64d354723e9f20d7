"""The ten commands of the guide to nightly jobs: each ends as the guide says, and the site has the accepted change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.nightly_guide import PAGE, printed, steps

STEPS = steps(PAGE.read_text(encoding="utf-8"))


def test_there_are_ten_commands_of_which_one_is_red() -> None:
    assert [step.code for step in STEPS] == [0, 0, 1, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.nightly
def test_the_guide_can_be_followed_in_an_empty_folder(tmp_path: Path) -> None:
    outputs = [printed(step, tmp_path) for step in STEPS]
    assert "gate: passes" in outputs[1]
    assert "gate: fails" in outputs[2]
    assert "gate: passes" in outputs[4]
    assert "as accepted (oneDNN is left out of this build" in outputs[8]
    assert (tmp_path / "site" / "operators" / "softmax.html").is_file()
