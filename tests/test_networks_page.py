"""docs/reference/networks.md has a row for each pass of a network, and for each pattern that oneDNN fuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autoperf.analysis.network_times import network_times
from autoperf.reports.layout import heading
from tests.scripts import load_script
from tools.page_blocks import block_of
from tools.stored_run import read_run

SCRIPT = load_script("tools", "networks.py")
PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "networks.md").read_text(encoding="utf-8")
STORED = Path(__file__).parent / "data" / "stored"
FUSED = {"Conv": "conv", "FullyConnected": "fully_connected"}


def rows(name: str, head: str) -> list[list[str]]:
    """The cells of the table in a block of the page, without its head."""
    _, table = block_of(PAGE, name).split(head)
    return [re.split(r" \| ", line.strip("| ")) for line in table.splitlines()]


def test_the_page_has_both_passes_of_each_network() -> None:
    names = [re.sub(r"^examples/networks/(\w+)\.py:(\w+)$", r"\1.\2", network) for network, *_ in SCRIPT.NETWORKS]
    passes = [
        (f"{name}, batch {words[2]}{', training' * training}", pass_)
        for name, words in zip(names, SCRIPT.NETWORKS, strict=True)
        for training in ("--train" in words,)
        for pass_ in ("forward", "backward")[: 1 + training]
    ]
    assert [(row[0], row[1]) for row in rows("networks", heading(SCRIPT.HEAD))] == passes


def test_a_row_has_the_parts_the_whole_and_the_operators_with_most_of_the_time() -> None:
    block = SCRIPT.networks([read_run(STORED / "network-3.ndjson")])
    row = "36.7 us | 182 us | 129 us | 103 us | - | FullyConnected 74%, Activation 26%"
    assert f"| small.mlp, batch 2, training | forward | {row} |" in block


def fused_rows() -> list[list[str]]:
    return rows("fusions", heading(SCRIPT.fusion_head(SCRIPT.RELEASES)))


def test_the_page_has_a_row_for_each_pattern() -> None:
    assert [row[0] for row in fused_rows()] == list(SCRIPT.patterns().values())


@pytest.mark.parametrize("operator", FUSED)
def test_the_fused_kernel_is_alone_where_onednn_fuses(operator: str) -> None:
    fused = [row for row in fused_rows() if row[0].startswith(f"{operator}+")]
    assert len(fused) >= 2
    for row in fused:
        assert (row[4], row[8]) == (rf"\_sg_mkldnn_{FUSED[operator]}", rf"\_sg_onednn_{FUSED[operator]}")


def test_a_pattern_has_the_separate_and_the_fused_time_of_each_release(monkeypatch: pytest.MonkeyPatch) -> None:
    run = read_run(STORED / "network-3.ndjson")
    names = {network.name for network in network_times(run.outcomes)}
    monkeypatch.setattr(SCRIPT, "patterns", lambda: dict.fromkeys(names, "MLP"))
    assert SCRIPT.fusions([run, run]).splitlines()[-1] == "| MLP | 182 us | - | - | - | 182 us | - | - | - |"


def test_a_run_without_a_pattern_is_refused() -> None:
    with pytest.raises(SystemExit, match="the run has no fusions"):
        SCRIPT.fusions([read_run(STORED / "network-3.ndjson")])
