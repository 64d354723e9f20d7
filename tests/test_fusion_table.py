"""docs/networks.md has a row for each fused pattern, with the kernels that prove the fusion."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autoperf.reports.markdown import heading
from tests.scripts import load_script
from tools.page_blocks import block_of

SCRIPT = load_script("tools", "fusion_table.py")
PAGE = (Path(__file__).parents[1] / "docs" / "networks.md").read_text(encoding="utf-8")
BLOCK = block_of(PAGE, "fusions")
STORED = Path(__file__).parent / "data" / "stored"
FUSED = {"Conv": "conv", "FullyConnected": "fully_connected"}


def tables() -> list[list[list[str]]]:
    """The cells of each release's table, without its head."""
    parts = BLOCK.split(heading(SCRIPT.HEAD))[1:]
    return [
        [re.split(r" \| ", line.strip("| ")) for line in part.splitlines() if line.startswith("|")] for part in parts
    ]


def test_each_release_has_a_row_for_each_pattern() -> None:
    assert tables()
    for rows in tables():
        assert [row[0] for row in rows] == list(SCRIPT.patterns().values())


@pytest.mark.parametrize("operator", FUSED)
def test_the_fused_kernel_is_alone_where_onednn_fuses(operator: str) -> None:
    rows = [row for rows in tables() for row in rows if row[0].startswith(f"{operator}+")]
    assert rows
    for row in rows:
        assert re.fullmatch(rf"\\_sg_(mkldnn|onednn)_{FUSED[operator]}", row[-1])


def test_a_run_without_a_pattern_is_refused() -> None:
    with pytest.raises(SystemExit, match="the run has no fusions"):
        SCRIPT.main([str(STORED / "network-3.ndjson")])
