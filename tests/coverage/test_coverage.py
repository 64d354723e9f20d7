"""Coverage: gradients, layer classes, and ledgers as files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from autoperf.cases.release import Release, modes, read_gradients
from autoperf.cases.selection import Selection, targets
from autoperf.core.coverage import Coverage, CoverageBaseline, CoverageEntry
from autoperf.core.errors import AutoperfError, CaseFileError, OutputError, UsageError
from autoperf.core.graph import MODES, LayerReport
from autoperf.coverage.coverage import (
    canonical_names,
    check,
    coverage_baseline,
    layer_report,
    layer_reports,
    read_ledger,
    to_text,
    write_ledger,
)
from autoperf.registry.calls import Gradient
from autoperf.rules.gluon_layers.layer import gluon_layers_by_name
from autoperf.rules.rule import Reason

LEDGER = CoverageBaseline(
    "1.9.1",
    {
        "sin": CoverageEntry(Coverage.COVERED, "trigonometric", differentiable=True),
        "argmax": CoverageEntry(Coverage.COVERED, "sorting", differentiable=False),
        "_cond": CoverageEntry(Coverage.UNCOVERED),
        "_NoGradient": CoverageEntry(Coverage.EXCLUDED, reason="no kernel is registered"),
    },
)
TEXT = """\
{"type":"ledger","version":1,"mxnet":"1.9.1","operators":{
"_NoGradient": {"status":"excluded","reason":"no kernel is registered"},
"_cond": {"status":"uncovered"},
"argmax": {"status":"covered","category":"sorting","differentiable":false},
"sin": {"status":"covered","category":"trigonometric","differentiable":true}
}}
"""
BROKEN = {
    "empty": (b"", "invalid ledger"),
    "no JSON": (b"garbage", "invalid ledger"),
    "truncated": (TEXT[:-20].encode(), "invalid ledger"),
    "not UTF-8": (b'{"type": "\xff"}', "invalid ledger"),
    "nested without an end": (b"[" * 100_000, "invalid ledger"),
    "another kind of file": (b'{"type": "run", "version": 1}', "expected type 'ledger', got 'run'"),
    "a later version": (TEXT.replace('"version":1', '"version":2').encode(), "has version 2, and .* reads version 1"),
    "an unknown status": (TEXT.replace('"uncovered"', '"lost"').encode(), "Invalid enum value 'lost'"),
    "a list of operators": (b'{"type": "ledger", "version": 1, "mxnet": "1.9.1", "operators": []}', "invalid ledger"),
    "no release": (b'{"type": "ledger", "version": 1, "operators": {}}', "mxnet"),
}


def test_a_ledger_is_sorted_with_one_operator_a_line(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    write_ledger(file, LEDGER)
    assert file.read_text() == TEXT
    assert read_ledger(file) == LEDGER
    assert json.loads(TEXT)["operators"]["sin"]["category"] == "trigonometric"
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.json"]


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_ledger_is_refused_and_never_replaced(tmp_path: Path, fault: str) -> None:
    data, words = BROKEN[fault]
    file = tmp_path / "ledger.json"
    file.write_bytes(data)
    with pytest.raises(CaseFileError, match=words):
        read_ledger(file)
    with pytest.raises(CaseFileError, match="is not replaced"):
        write_ledger(file, LEDGER)
    assert file.read_bytes() == data


def test_a_ledger_of_another_release_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    write_ledger(file, CoverageBaseline("1.6.0", LEDGER.operators))
    with pytest.raises(UsageError, match=r"of MXNet 1\.6\.0 and is not replaced by one of MXNet 1\.9\.1"):
        write_ledger(file, LEDGER)
    write_ledger(file, CoverageBaseline("1.6.0", {}))
    assert read_ledger(file).operators == {}


@pytest.mark.parametrize("place", [".", "no/where.json"])
def test_a_place_that_is_none_is_told(tmp_path: Path, place: str) -> None:
    with pytest.raises((CaseFileError, OutputError), match="can't be"):
        write_ledger(tmp_path / place, LEDGER)
    with pytest.raises(AutoperfError, match="can't be read"):
        read_ledger(tmp_path / place)


def test_the_release_at_hand_is_as_its_own_ledger_says(release: Release, tmp_path: Path) -> None:
    taken = coverage_baseline(release)
    assert len(taken.operators) == len(release.registry.forward)
    assert {standing.reason for standing in taken.operators.values()} <= {"", *(reason.value for reason in Reason)}
    assert taken.operators["BatchNorm"].differentiable
    file = tmp_path / "ledger.json"
    write_ledger(file, taken)
    assert to_text(read_ledger(file)) == file.read_text()
    found = check(release, file)
    assert found.passed
    assert not found.changes


def test_aliases_lead_to_canonical_names(release: Release) -> None:
    assert canonical_names(release.registry)["broadcast_plus"] == "broadcast_add"


def test_a_pipe_is_no_place_for_a_ledger_and_stays(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="it is a device or a pipe; give another file"):
        write_ledger(tmp_path / "pipe", LEDGER)
    assert (tmp_path / "pipe").is_fifo()


def test_a_link_to_a_ledger_stays_a_link(tmp_path: Path) -> None:
    write_ledger(tmp_path / "ledger", LEDGER)
    (tmp_path / "link").symlink_to("ledger")
    write_ledger(tmp_path / "link", CoverageBaseline("1.9.1", {}))
    assert (tmp_path / "link").is_symlink()
    assert read_ledger(tmp_path / "ledger").operators == {}


def answer(release: Release, operator: str) -> Gradient:
    chosen = targets(release.registry, release.catalog, Selection(operators=(operator,)))
    return read_gradients(release, chosen)[operator]


@pytest.mark.parametrize(
    ("operator", "kernel"),
    [
        ("topk", "_backward_topk"),  # the small case asks for indices, which have none
        ("_npi_normal", "_backward_broadcast_normal"),  # of numbers there is nothing to differentiate by
        ("_sample_multinomial", "_backward_sample_multinomial"),  # with the probabilities of what was sampled
    ],
)
def test_a_gradient_in_one_of_the_modes_counts(release: Release, operator: str, kernel: str) -> None:
    found = answer(release, operator)
    assert found.differentiable
    assert kernel in found.kernels


@pytest.mark.parametrize("operator", ["argsort", "BlockGrad", "_contrib_quantize_v2", "broadcast_equal"])
def test_gradients_that_are_zero_by_definition_are_none(release: Release, operator: str) -> None:
    assert answer(release, operator) == Gradient(differentiable=False, source="graph")


def test_sizes_are_no_modes(release: Release) -> None:
    (target,) = targets(release.registry, release.catalog, Selection(operators=("topk",)))
    assert target.rule
    assert [call.params.get("ret_typ") for call in modes(target, target.rule)] == [None, "value", "both", "mask"]


@pytest.fixture(scope="module")
def report(release: Release) -> LayerReport:
    return layer_report(release)


def test_every_class_is_covered_or_has_a_reason(report: LayerReport) -> None:
    assert report.count(Coverage.UNCOVERED) == 0
    assert len(report.layers) == report.count(Coverage.COVERED) + report.count(Coverage.EXCLUDED)
    assert all(layer.reason for layer in report.layers if layer.status is Coverage.EXCLUDED)


def test_every_rule_covers_a_class_or_is_for_another_release(report: LayerReport) -> None:
    names = {layer.operator for layer in report.layers if layer.status is Coverage.COVERED}
    absent = {f"gluon_{path.rpartition('.')[2]}" for path in report.absent}
    assert names | absent == gluon_layers_by_name().keys()
    assert not names & absent


def test_a_covered_class_has_its_place_its_ways_and_its_configurations(report: LayerReport) -> None:
    layers = {layer.layer.path: layer for layer in report.layers}
    dense = layers["gluon.nn.Dense"]
    assert dense.layer.hybrid
    assert dense.layer.signature.startswith("(units, ")
    assert dense.ways == tuple(MODES)
    assert dense.configurations[0].call == "data (32, 1024); units=1024"
    assert layers["gluon.nn.Lambda"].ways == ("imperative",)
    assert "a block without a graph" in layers["gluon.nn.Lambda"].reason
    assert layers["gluon.Block"].status is layers["gluon.loss.Loss"].status is Coverage.EXCLUDED


def test_without_the_python_package_the_classes_are_not_known(next_release: Release) -> None:
    assert "aren't known, since its Python package isn't beside it" in layer_report(next_release).problem
    with pytest.raises(UsageError, match=r"the layers of MXNet 2\.0\.0b1 in"):
        layer_reports([next_release])
