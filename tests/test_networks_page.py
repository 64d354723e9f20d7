"""docs/networks.md has the times of each network under each release, and a row for each fused pattern."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autoperf.reports.markdown import heading
from autoperf.results.runfile import read_run
from tests.scripts import load_script
from tools.page_blocks import block_of

TABLES, FUSIONS = load_script("tools", "network_tables.py"), load_script("tools", "fusion_table.py")
PAGE = (Path(__file__).parents[1] / "docs" / "networks.md").read_text(encoding="utf-8")
BLOCK = block_of(PAGE, "fusions")
STORED = Path(__file__).parent / "data" / "stored"
RELEASES = ("1.9.1", "2.0.0b1")
FUSED = {"Conv": "conv", "FullyConnected": "fully_connected"}


@pytest.mark.parametrize("release", RELEASES)
def test_each_network_stands_beside_the_sum_of_its_parts(release: str) -> None:
    block = block_of(PAGE, f"networks-{release}")
    assert f"MXNet {release}" in block
    for network, batch in TABLES.NETWORKS.items():
        name = re.sub(r"^examples/networks/(\w+)\.py:(\w+)$", r"\1.\2", network)
        assert f"| {name}, batch {batch} | forward hybridized |" in block
        assert block.count(f"\n{name}, batch {batch}, by operator (") == 1


def test_a_block_has_the_whole_and_the_ranked_calls() -> None:
    run = read_run(STORED / "network-3.ndjson")
    block = TABLES.block(run.header.mxnet, run.outcomes)
    assert "| small.mlp, batch 2, training | forward static | 103 us | 1.76 | 36.7 us | 36% |" in block
    assert "small.mlp, batch 2, training, by operator (3 distinct calls):" in block
    assert "| FullyConnected dense0_fwd" in block


def tables() -> list[list[list[str]]]:
    """The cells of each release's table, without its head."""
    parts = BLOCK.split(heading(FUSIONS.HEAD))[1:]
    return [
        [re.split(r" \| ", line.strip("| ")) for line in part.splitlines() if line.startswith("|")] for part in parts
    ]


def test_each_release_has_a_row_for_each_pattern() -> None:
    assert tables()
    for rows in tables():
        assert [row[0] for row in rows] == list(FUSIONS.patterns().values())


@pytest.mark.parametrize("operator", FUSED)
def test_the_fused_kernel_is_alone_where_onednn_fuses(operator: str) -> None:
    rows = [row for rows in tables() for row in rows if row[0].startswith(f"{operator}+")]
    assert rows
    for row in rows:
        assert re.fullmatch(rf"\\_sg_(mkldnn|onednn)_{FUSED[operator]}", row[-1])


def test_a_run_without_a_pattern_is_refused() -> None:
    with pytest.raises(SystemExit, match="the run has no fusions"):
        FUSIONS.main([str(STORED / "network-3.ndjson")])
