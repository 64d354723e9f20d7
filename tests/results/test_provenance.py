"""Every report says where its figures come from."""

from __future__ import annotations

import pytest

from autoperf.results.provenance import command_line


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
