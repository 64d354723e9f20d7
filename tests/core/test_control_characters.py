"""What would steer a terminal is spelled; all other text is as it was."""

from __future__ import annotations

import json

import pytest

from autoperf.core.texts import MAX_WORD, escape_controls, message_text, quoted, shortened


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


@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\x7f", "\u202e", "\ud800"])
def test_a_quoted_value_is_spelled_in_the_same_way(sign: str) -> None:
    spelled = escape_controls(sign)
    assert quoted(f"a{sign}") == f"'a{spelled}'"
    assert message_text(f"invalid {f'a{sign}'!r} in a{sign}") == f"invalid 'a{spelled}' in a{spelled}"


def test_backslashes_of_the_text_stay() -> None:
    assert message_text(repr(r"C:\x1b")) == repr(r"C:\x1b")


def test_a_long_word_is_shortened_to_both_ends() -> None:
    path = "/".join(["folder"] * 100)
    assert shortened(f"can't read {path}: it ends") == f"can't read {path}: it ends"
    word = "a" * 50_000 + "b" * 50_000
    assert shortened(f"unknown {word} here") == f"unknown {'a' * 60}... (100,000 characters) ...{'b' * 20} here"
    assert shortened("a" * MAX_WORD) == "a" * MAX_WORD
