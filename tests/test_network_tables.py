"""docs/networks.md has the times of each network under each release, as tools/network_tables.py writes them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autoperf.results.runfile import read_run
from tests.scripts import load_script
from tools.page_blocks import block_of

SCRIPT = load_script("tools", "network_tables.py")
PAGE = (Path(__file__).parents[1] / "docs" / "networks.md").read_text(encoding="utf-8")
STORED = Path(__file__).parent / "data" / "stored"
RELEASES = ("1.9.1", "2.0.0b1")


@pytest.mark.parametrize("release", RELEASES)
def test_each_network_stands_beside_the_sum_of_its_parts(release: str) -> None:
    block = block_of(PAGE, f"networks-{release}")
    assert f"MXNet {release}" in block
    for network, batch in SCRIPT.NETWORKS.items():
        name = re.sub(r"^examples/networks/(\w+)\.py:(\w+)$", r"\1.\2", network)
        assert f"| {name}, batch {batch} | forward hybridized |" in block
        assert block.count(f"\n{name}, batch {batch}, by operator (") == 1


def test_a_block_has_the_whole_and_the_ranked_calls() -> None:
    run = read_run(STORED / "network-3.ndjson")
    block = SCRIPT.block(run.header.mxnet, run.outcomes)
    assert "| small.mlp, batch 2, training | forward static | 103 us | 1.76 | 36.7 us | 36% |" in block
    assert "small.mlp, batch 2, training, by operator (3 distinct calls):" in block
    assert "| FullyConnected dense0_fwd" in block
