"""The results that operators leave open."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.core.case import Case, Input
from autoperf.core.graph import Graph, Node
from autoperf.core.operator import Value
from autoperf.core.tensors import Shape, TensorSpec, Uniform
from autoperf.rules.open_results import open_results


def case(operator: str, category: str = "nn_basic", *, training: bool = True, **params: Value) -> Case:
    return Case(operator=operator, category=category, profile="small", inputs=(), params=params, training=training)


@pytest.mark.parametrize(
    ("given", "random"),
    [
        (case("_random_uniform", "random"), True),
        (case("_random_pdf_uniform", "random"), False),
        (case("Dropout"), True),
        (case("Dropout", training=False), False),
        (case("LeakyReLU", act_type="rrelu"), True),
        (case("LeakyReLU", act_type="leaky"), False),
        (case("softmax"), False),
    ],
    ids=lambda value: value.operator if isinstance(value, Case) else str(value),
)
def test_random_operators_draw_in_training_or_by_a_parameter(given: Case, random: bool) -> None:
    assert open_results(given).random is random


def test_undefined_results_have_evidence() -> None:
    loop = open_results(case("_while_loop", "control_flow"))
    assert loop.leaves("output 0")
    assert not loop.leaves("output 1")
    assert "undefined" in loop.evidence
    assert open_results(case("_image_random_hue", "image")).leaves("output")
    assert open_results(case("Dropout", axes=(0, 3))).leaves("output")
    assert open_results(case("RNN", "recurrent", p=0.5)).leaves("gradient of data")
    assert not open_results(case("RNN", "recurrent")).leaves("output")
    assert open_results(case("_npi_svd", "linalg")).rounding > open_results(case("_npi_add")).rounding == 1


def test_parameters_of_graphs_are_text() -> None:
    assert not open_results(case("RNN", "recurrent", p="0.0")).leaves("output")
    assert open_results(case("RNN", "recurrent", p="0.5")).leaves("output")
    assert open_results(case("Dropout", axes="()")).random
    assert not open_results(case("Dropout", axes="()")).leaves("output")
    assert open_results(case("Dropout", axes="(0, 3)")).leaves("output")
    assert not open_results(case("gluon_LSTM", "recurrent", dropout="0.5", num_layers="1")).leaves("output")
    assert open_results(case("gluon_LSTM", "recurrent", dropout="0.5", num_layers="2")).leaves("output")


@pytest.mark.parametrize(
    ("operator", "small", "large", "others"),
    [
        ("SpatialTransformer", (2, 4, 64, 64), (2, 4, 64, 10_000), (300, 512, 8, 8)),
        ("CTCLoss", (64, 4, 16), (500, 4, 16), (10, 256, 1000)),
    ],
)
def test_the_rounding_of_places_and_of_steps_grows_with_their_number(
    operator: str, small: Shape, large: Shape, others: Shape
) -> None:
    least, most, usual = (
        open_results(
            msgspec.structs.replace(case(operator), inputs=(Input("data", TensorSpec(shape, "float32", Uniform())),))
        ).rounding
        for shape in (small, large, others)
    )
    assert 1 < least == usual < most


@pytest.mark.parametrize(
    ("fix_gamma", "is_left"),
    [({}, True), ({"fix_gamma": True}, True), ({"fix_gamma": False}, False), ({"fix_gamma": "False"}, False)],
)
def test_a_gamma_that_no_normalisation_reads_may_be_written(fix_gamma: dict[str, Value], is_left: bool) -> None:
    names = ("x", "gamma", "beta", "mean", "var")
    graph = Graph(names, (Node("normalised", "BatchNorm_v1", names, fix_gamma),), ("normalised",))
    given = tuple(Input(f"data[{place}]", TensorSpec((4,), "float32", Uniform())) for place in range(5))
    whole = Case(
        operator="_CachedOp", category="network", profile="static", inputs=given, graphs={"graph": graph},
        way="compiled",
    )  # fmt: skip
    assert open_results(whole).leaves("updated data[1]") is is_left
    assert not open_results(whole).leaves("updated data[3]")
    assert not open_results(whole).leaves("output")


def test_a_graph_with_a_random_operator_has_no_defined_values() -> None:
    graph = Graph(("x",), (Node("dropped", "Dropout", ("x",)),), ("dropped",))
    made = Case(
        operator="layer", category="composite", profile="small", inputs=(), graphs={"graph": graph}, way="eager"
    )
    assert open_results(made).leaves("gradient of x")
