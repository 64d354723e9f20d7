"""Layers of Gluon in reports: side by side in the place of their cases, and their coverage."""

from __future__ import annotations

import json

import msgspec
import pytest

from autoperf.core.coverage import Coverage
from autoperf.core.graph import MODES, LayerClass, LayerConfiguration, LayerCoverage, LayerReport
from autoperf.core.outcome import Outcome
from autoperf.coverage.layers import LayerView
from autoperf.summary.documents import mode_rows
from tests.reports.report_values import report, run_text, text_of
from tests.values import inputs, measured, tensor, timed

ENDS = ("no kernel", "memory")
ROWS = inputs(data=tensor(32, 1024))


def layer(way: str, wall: float, number: int = 0) -> Outcome:
    return measured(
        "gluon_Dense", way, ROWS, timed(8.0, wall), timed(16.0, 2 * wall), category="gluon", digest=f"{number:08x}",
        units=1024, hybridize=MODES[way].hybridize,
    )  # fmt: skip


@pytest.fixture
def run() -> list[Outcome]:
    ways = [layer(way, wall, number) for number, (way, wall) in enumerate({"imperative": 40.0, "static": 20.0}.items())]
    drawn = measured("gluon_Dense", "drawn", inputs(data=tensor(7, 1024)), timed(1.0, 9.0), category="gluon", units=8)
    return [*ways, drawn]


def test_layers_stand_side_by_side_in_the_place_of_their_cases(run: list[Outcome]) -> None:
    text = run_text(run)
    head, _, rest = text.partition("gluon_Dense data (32, 1024); units=1024\n")
    assert head.splitlines()[-1].split() == ["layers", "(1", "configuration)", "imperative", "hybridized", "static"]
    lines = [line.split() for line in rest.splitlines()[:5]]
    assert lines == [
        ["forward", "wall", "40.0", "us", "-", "20.0", "us"],
        ["forward", "speed-up", "1.00", "-", "2.00"],
        ["forward", "exp", "8.00", "us", "-", "8.00", "us"],
        ["forward", "Reorder", "1.00", "us", "-", "1.00", "us"],
        ["forward", "no", "kernel", "31.0", "us", "-", "11.0", "us"],
    ]
    assert "drawn" in rest
    assert "imperative  data" not in rest
    assert "3 cases = 3 measured" in rest


@pytest.mark.parametrize("view", [{"sort": "forward_kernel"}, {"columns": ("forward_kernel",)}])
def test_columns_and_an_order_show_the_cases(run: list[Outcome], view: dict[str, object]) -> None:
    text = run_text(run, **view)
    assert "speed-up" not in text
    assert text.count("gluon_Dense") >= 1
    assert "static" in text


def test_without_the_imperative_layer_there_is_no_speed_up() -> None:
    (times,) = report([layer("hybridized", 40.0, 1), layer("static", 20.0, 2)]).modes
    assert "speed-up" not in {row.quantity for row in mode_rows(times)}


def test_kernels_beyond_the_first_are_one_row() -> None:
    kernels = {f"kernel{number}": 10.0 - number for number in range(6)} | {"short": 0.1}
    (times,) = report([_with_kernels(layer(way, 40.0), kernels) for way in ("imperative", "static")]).modes
    names = [row.quantity for row in mode_rows(times) if row.pass_ == "forward"]
    assert names == ["wall", "speed-up", "kernel0", "kernel1", "kernel2", "kernel3", "4 more kernels", *ENDS]


def test_kernels_of_less_than_a_hundredth_are_left_out() -> None:
    kernels = {"FullyConnected": 10.0, "DeleteVariable": 0.1}
    (times,) = report([_with_kernels(layer(way, 40.0), kernels) for way in ("imperative", "static")]).modes
    names = [row.quantity for row in mode_rows(times) if row.pass_ == "forward"]
    assert names == ["wall", "speed-up", "FullyConnected", "Reorder", *ENDS]


def _with_kernels(outcome: Outcome, kernels: dict[str, float]) -> Outcome:
    assert outcome.forward
    forward = msgspec.structs.replace(outcome.forward, kernels=kernels)
    return msgspec.structs.replace(outcome, forward=forward, case=f"gluon_Dense/{outcome.profile:0>8.8}")


def test_json_and_markdown_have_them(run: list[Outcome]) -> None:
    (record,) = json.loads(run_text(run, form="json"))["layers"]
    assert record["cases"] == {"imperative": "gluon_Dense/00000000", "static": "gluon_Dense/00000001"}
    forward, backward = record["passes"]
    assert (forward["pass"], forward["wall_us"]) == ("forward", {"imperative": 40.0, "static": 20.0})
    assert backward["speedup"] == {"imperative": 1.0, "static": 2.0}
    assert "| gluon_Dense data (32, 1024); units=1024 | forward | wall | 40.0 us | - | 20.0 us |" in run_text(
        run, form="md"
    )


def test_the_page_has_them(run: list[Outcome]) -> None:
    assert '"Layers"' in run_text(run, form="html")


def test_the_median_speed_up_is_told(run: list[Outcome]) -> None:
    others = [msgspec.structs.replace(outcome, params={**outcome.params, "units": 7}) for outcome in run]
    text = " ".join(run_text([*run, *(_renamed(outcome) for outcome in others)]).split())
    assert "speed-up of the forward pass in the median of 2 configurations: static 2.00" in text


def _renamed(outcome: Outcome) -> Outcome:
    return msgspec.structs.replace(outcome, case=f"{outcome.case}a")


def test_other_runs_have_none() -> None:
    assert "layers" not in json.loads(run_text([measured("exp", "small", ROWS, timed(1.0, 9.0))], form="json"))


DENSE = LayerCoverage(
    LayerClass("nn", "Dense", "(units)", hybrid=True), Coverage.COVERED, "gluon_Dense", "rules/gluon_layers/layers.py",
    ways=("imperative", "static"), configurations=(LayerConfiguration("common", "data (32, 1024); units=1024"),),
)  # fmt: skip
LOSS = LayerCoverage(LayerClass("loss", "Loss", "(w)", hybrid=True), Coverage.EXCLUDED, reason="a base class")
MISH = LayerCoverage(LayerClass("nn", "Mish", "()", hybrid=True), Coverage.UNCOVERED, reason="no rule")
CLASSES = LayerReport("1.9.1", (DENSE, LOSS, MISH), absent=("gluon.nn.SiLU",))
UNKNOWN = LayerReport("2.0.0b1", problem="the layers of MXNet 2.0.0b1 aren't known")


def test_every_class_is_accounted_for() -> None:
    text = text_of("layers", "table", LayerView([CLASSES]))
    assert "gluon.nn\n  Dense  imperative, static\n      common: data (32, 1024); units=1024" in text
    assert "excluded: a base class (1)\n    gluon.loss.Loss" in text
    assert "uncovered: no rule (1)\n    gluon.nn.Mish" in text
    assert "not in MXNet 1.9.1, though they have a rule:\n    gluon.nn.SiLU" in text
    assert text.endswith("3 classes = 1 covered + 1 uncovered + 1 excluded\n")


def test_a_status_selects_classes_and_the_sum_stays() -> None:
    text = text_of("layers", "table", LayerView([CLASSES], Coverage.UNCOVERED))
    assert "Dense" not in text
    assert "SiLU" not in text
    assert text.endswith("3 classes = 1 covered + 1 uncovered + 1 excluded\n")


def test_a_release_whose_layers_are_not_known_says_why() -> None:
    assert text_of("layers", "table", LayerView([UNKNOWN])) == "the layers of MXNet 2.0.0b1 aren't known\n"
    assert "the layers of MXNet 2.0.0b1 aren't known" in text_of("layers", "md", LayerView([UNKNOWN]))
    (release,) = json.loads(text_of("layers", "json", LayerView([UNKNOWN])))["releases"]
    assert (release["classes"], release["problem"]) == (0, UNKNOWN.problem)


def test_programs_get_every_class() -> None:
    (release,) = json.loads(text_of("layers", "json", LayerView([CLASSES])))["releases"]
    assert [release[name] for name in ("mxnet", "classes", "covered", "uncovered", "excluded")] == ["1.9.1", 3, 1, 1, 1]
    assert release["layers"][0]["operator"] == "gluon_Dense"
    head, *rows = text_of("layers", "csv", LayerView([CLASSES])).splitlines()
    assert head.startswith("mxnet,layer,status,reason,case,ways,rule,configurations,signature")
    assert rows[1] == "1.9.1,gluon.loss.Loss,excluded,a base class,,,,,(w)"
    assert "| gluon.nn.Mish | uncovered: no rule |  |  |" in text_of("layers", "md", LayerView([CLASSES]))
