from __future__ import annotations

import pytest

from autoperf.reports.layout import cells, escape, heading


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a | b", r"a \| b"), ("broadcast_add", "broadcast_add"), ("_contrib_fft", r"\_contrib_fft"),
        ("a*b", r"a\*b"), ("a\nb", "a b"), ("\\|", r"\\\|"), ("x_ _y", r"x\_ \_y"), ("`data` < 3", r"\`data\` \< 3"),
        ("__init__", r"\_\_init\_\_"),
    ],
)  # fmt: skip
def test_escape(text: str, escaped: str) -> None:
    assert escape(text) == escaped


def test_a_table() -> None:
    assert heading([("name", False), ("median", True)]) + cells(["exp", "1 us"]) == (
        "| name | median |\n|---|---:|\n| exp | 1 us |\n"
    )
