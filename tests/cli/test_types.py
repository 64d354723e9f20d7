"""What the values of options mean, and what is refused."""

from __future__ import annotations

import re

import click
import pytest

from autoperf.cli.option_types import DurationType, ShareType


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90.0),
        ("10m", 600.0),
        ("10 min", 600.0),
        ("1h30m", 5400.0),
        ("1h 30m 5s", 5405.0),
        ("200ms", 0.2),
        ("2", 2.0),
        (".5s", 0.5),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert DurationType().convert(text, None, None) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "0s", "-1s", "ten", "10 20", "5d", "1h,30m", "s", "1e9h", "inf", "9" * 400])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(click.BadParameter, match="invalid duration"):
        DurationType().convert(text, None, None)


@pytest.mark.parametrize(
    ("text", "share"), [("10%", 0.1), ("10", 0.1), ("1", 0.01), ("0.5%", 0.005), ("200 %", 2.0), ("0", 0.0)]
)
def test_a_bare_number_is_in_percent(text: str, share: float) -> None:
    assert ShareType().convert(text, None, None) == pytest.approx(share)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0.05", "invalid percentage '0.05': expected 5% or 0.05%"),
        (".5", "expected 50% or 0.5%"),
        ("-1", "expected a percentage, such as 5%"),
        ("ten", "expected a percentage"),
        ("nan%", "expected a percentage"),
    ],
)
def test_a_number_that_may_be_a_share_needs_the_sign(text: str, words: str) -> None:
    with pytest.raises(click.BadParameter, match=re.escape(words)):
        ShareType().convert(text, None, None)
