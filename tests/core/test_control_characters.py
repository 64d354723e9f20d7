"""What would steer a terminal is spelled; all other text is as it was."""

from __future__ import annotations

import json

import pytest

from autoperf.core.control_characters import escape_controls


def test_plain_text_is_left_alone() -> None:
    text = "exp\n\tμs ±0.4 % \u00a0 日本 ┃ 👍"
    assert escape_controls(text) == text


@pytest.mark.parametrize("sign", ["\x00", "\x07", "\r", "\x1b", "\x7f", "\x9b", "\u2028", "\u202e", "\u2066"])
def test_what_steers_is_spelled_as_json_does(sign: str) -> None:
    spelled = escape_controls(f"a{sign}b")
    assert sign not in spelled
    assert json.loads(f'"{spelled}"') == f"a{sign}b"


def test_half_characters_can_be_written() -> None:
    assert escape_controls("\udcff").encode() == b"\\udcff"
