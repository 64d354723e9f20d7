"""What the values of options mean, and what is refused."""

from __future__ import annotations

import click
import pytest

from autoperf.cli.types import DurationType


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
