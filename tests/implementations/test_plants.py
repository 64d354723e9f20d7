"""Wrong implementations, planted beside right ones, are caught by MXNet's results; NumPy computes both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest

from autoperf.backends.contents import drawn_heads, generator, materialise
from autoperf.backends.mxnet.capi.library import Library
from autoperf.cases.release import Release
from autoperf.core.case import Case, Input
from autoperf.core.outcome import ResultDifference
from autoperf.core.tensors import ArrayType, Content, Literal_, TensorSpec, Uniform, default_content
from autoperf.equality.comparison import HowCompared, compare_results
from autoperf.implementations.implementation import Implementation
from autoperf.implementations.lookup import arguments, implementation
from tools.implementation_check import difference_of, open_engine
from tools.implementation_files import Expected
from tools.implementation_references import run_all

Shapes = Mapping[str, tuple[int, ...]]
MATRIX = {"data": (16, 24)}
PAIR = {"lhs": (12, 20), "rhs": (12, 20)}
LAYER = {"data": (16, 24), "gamma": (24,), "beta": (24,)}
IMAGES = {"data": (2, 3, 8, 8)}
BATCH = {**IMAGES, "gamma": (3,), "beta": (3,), "moving_mean": (3,), "moving_var": (3,)}
STEP = {"weight": (12, 8), "grad": (12, 8)}
ADAM = {**STEP, "mean": (12, 8), "var": (12, 8)}
POSITIVE = Uniform(0.5, 1.5)
HALVES = Literal_((-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49999997, -0.49999997))


def words_of(found: ResultDifference | None) -> str:
    return found.words if found else ""


class Plant(NamedTuple):
    """A wrong expression of an operator over small inputs."""

    operator: str
    inputs: Shapes
    expression: str
    params: Mapping[str, Any] = {}
    content: Content | None = None
    prepare: Mapping[str, str] = {}


PLANTS = {
    "wrong axis of softmax": Plant("softmax", MATRIX, "softmax(data, 0)"),
    "temperature is ignored": Plant("softmax", MATRIX, "softmax(data, -1)", {"temperature": 2.0}),
    "softmax for its logarithm": Plant("log_softmax", MATRIX, "softmax(data, -1)"),
    "logarithm of base 2": Plant("log_softmax", MATRIX, "log_softmax(data, -1) / np.log(np.float32(2))"),
    "missing epsilon of layer normalization": Plant("LayerNorm", LAYER, "layer_norm(xp, data, gamma, beta, 0)"),
    "epsilon of another order": Plant("LayerNorm", LAYER, "layer_norm(xp, data, gamma, beta, 1e-6)"),
    "unbiased variance of layer normalization": Plant(
        "LayerNorm", LAYER, "(data - data.mean(-1, keepdims=True)) / data.std(-1, ddof=1, keepdims=True) * gamma + beta"
    ),
    "layer normalization over the wrong axis": Plant(
        "LayerNorm", LAYER, "layer_norm(xp, data.T, gamma[:16].mean(), beta[:16].mean(), eps).T"
    ),
    "missing epsilon of batch normalization": Plant(
        "BatchNorm", BATCH, "batch_norm(xp, data, gamma, beta, 1, 0, True)"
    ),
    "gamma is not fixed": Plant("BatchNorm", BATCH, "batch_norm(xp, data, gamma, beta, 1, eps, False)", {}, POSITIVE),
    "global statistics for those of the batch": Plant(
        "BatchNorm", BATCH, "global_norm(xp, data, gamma, beta, moving_mean, moving_var, 1, eps, True)", {}, POSITIVE
    ),
    "unbiased variance": Plant("_npi_var", {"a": (16, 24)}, "np.var(a, axis, ddof=1)", {"axis": (1,)}),
    "standard deviation for the variance": Plant("_npi_var", {"a": (16, 24)}, "np.std(a, axis)", {"axis": (1,)}),
    "sum for the mean": Plant("mean", MATRIX, "np.sum(data, 1)", {"axis": (1,)}),
    "mean over the wrong axis": Plant("mean", {"data": (16, 16)}, "np.mean(data, 0)", {"axis": (1,)}),
    "keepdims is ignored": Plant("sum", MATRIX, "np.sum(data, 1)", {"axis": (1,), "keepdims": True}),
    "exclude is ignored": Plant("sum", {"data": (8, 8)}, "np.sum(data, 1)", {"axis": (1,), "exclude": True}),
    "norm without its root": Plant("norm", MATRIX, "np.sum(np.square(data), 1)", {"axis": (1,)}),
    "half to even for half away from zero": Plant("round", MATRIX, "np.round(data)", content=HALVES),
    "half to even for half down": Plant("rint", MATRIX, "np.round(data)", content=HALVES),
    "floor for truncation": Plant("trunc", MATRIX, "np.floor(data)"),
    "remainder with the dividend's sign": Plant("broadcast_mod", PAIR, "np.fmod(lhs, rhs)"),
    "swapped operands of a difference": Plant("elemwise_sub", PAIR, "rhs - lhs"),
    "swapped scalar operands": Plant("_rminus_scalar", MATRIX, "data - scalar", {"scalar": 4.0}),
    "transposed product": Plant("dot", {"lhs": (8, 8), "rhs": (8, 8)}, "lhs @ rhs.T"),
    "product in half precision": Plant(
        "dot", {"lhs": (8, 8), "rhs": (8, 8)}, "(lhs.astype('float16') @ rhs.astype('float16')).astype('float32')"
    ),
    "tanh's approximation of GELU": Plant(
        "LeakyReLU",
        MATRIX,
        "0.5 * data * (1 + np.tanh(0.7978845608 * (data + 0.044715 * data**3)))",
        {"act_type": "gelu"},
    ),
    "slope of another leak": Plant("LeakyReLU", MATRIX, "np.where(data > 0, data, 0.01 * data)", {"act_type": "leaky"}),
    "average without the padding": Plant(
        "Pooling",
        IMAGES,
        "pool(data, kernel, strides, padding, 'avg') * 1.5",
        {"kernel": (2, 2), "stride": (2, 2), "pad": (0, 0), "pool_type": "avg"},
        prepare={"strides": "spread(stride, 2, 1)", "padding": "spread(pad, 2, 0)"},
    ),
    "average for the maximum": Plant(
        "Pooling",
        IMAGES,
        "pool(data, kernel, strides, padding, 'avg')",
        {"kernel": (2, 2), "stride": (2, 2), "pool_type": "max"},
        prepare={"strides": "spread(stride, 2, 1)", "padding": "spread(pad, 2, 0)"},
    ),
    "smallest for the largest": Plant("topk", MATRIX, "np.sort(data, -1)[:, :3]", {"k": 3, "ret_typ": "value"}),
    "descending order": Plant("sort", MATRIX, "np.flip(np.sort(data, -1), -1)"),
    "minimum's index": Plant("argmax", MATRIX, "np.argmin(data, 1)", {"axis": 1}),
    "another dtype": Plant("argmax", MATRIX, "np.argmax(data, 1)", {"axis": 1}),
    "gradient ascent": Plant("sgd_update", STEP, "weight + lr * grad", {"lr": 0.1}),
    "weight decay is ignored": Plant("sgd_update", STEP, "weight - lr * grad", {"lr": 0.1, "wd": 0.01}),
    "Adam's epsilon below the root": Plant(
        "adam_update",
        ADAM,
        "(weight - lr * (m := beta1 * mean + (1 - beta1) * grad) / np.sqrt((v := beta2 * var + (1 - beta2) * grad**2) "
        "+ epsilon), m, v)",
        {"lr": 0.1, "epsilon": 1e-3},
        POSITIVE,
    ),
    "states that aren't updated": Plant("sgd_mom_update", {**STEP, "mom": (12, 8)}, "weight - lr * grad", {"lr": 0.1}),
}
UPDATED = {"adam_update": ("mean", "var")}


def case_of(plant: Plant) -> Case:
    """The case of a plant's operator, in single precision."""
    content = plant.content or default_content("float32")
    inputs = tuple(Input(name, TensorSpec(shape, "float32", content)) for name, shape in plant.inputs.items())
    written = ("weight",) if plant.operator.endswith("_update") else ()
    return Case(
        operator=plant.operator,
        category="planted",
        profile="small",
        inputs=inputs,
        params=dict(plant.params),
        in_place=written,
        outputs=(ArrayType((), "float32"),),
    )


@pytest.fixture(scope="module")
def expected(library: Library, release: Release) -> Mapping[str, Expected]:
    """MXNet's results of each plant's case."""
    operators = {name: release.registry.find(plant.operator) for name, plant in PLANTS.items()}
    results = {name: next(run_all(library, operators[name], [case_of(plant)])) for name, plant in PLANTS.items()}
    assert {name: result.error for name, result in results.items() if result.error} == {}
    return results


def test_there_are_enough_plants() -> None:
    assert len(PLANTS) + len(GRADIENTS) >= 30


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_expression_is_caught(name: str, expected: Mapping[str, Expected], release: Release) -> None:
    plant = PLANTS[name]
    operator = release.registry.find(plant.operator)
    # Whole results may have another dtype, so that their values are what is caught.
    planted = Implementation(
        plant.operator, plant.expression, "user", differentiable=False, prepare=plant.prepare, cast="dtype" not in name,
        updates=UPDATED.get(plant.operator, ()),
    )  # fmt: skip
    difference = difference_of(open_engine("numpy"), planted, operator, expected[name])
    assert difference
    assert "Error" not in difference
    right = implementation("numpy", operator, expected[name].case)
    if not isinstance(right, str):
        assert difference_of(open_engine("numpy"), right, operator, expected[name]) == ""


GRADIENTS = {
    "tanh": ("head * (1 - np.tanh(data) ** 2)", ("-head * (1 - np.tanh(data) ** 2)", "head * (1 - np.tanh(data))")),
    "sigmoid": ("head * (s := 1 / (1 + np.exp(-data))) * (1 - s)", ("head * (1 / (1 + np.exp(-data)))",)),
    "square": ("2 * head * data", ("head * data", "-2 * head * data", "2 * head * np.abs(data)")),
    "exp": ("head * np.exp(data)", ("head * np.expm1(data)", "np.exp(data)")),
    "abs": ("head * np.sign(data)", ("head", "-head * np.sign(data)")),
}
"""For operators of one tensor: the gradient from a head gradient, and wrong ones."""


@pytest.mark.parametrize("operator", GRADIENTS)
def test_a_planted_gradient_is_caught(operator: str, library: Library, release: Release) -> None:
    case = case_of(Plant(operator, MATRIX, ""))
    (expected,) = run_all(library, release.registry.find(operator), [case])
    results = expected.results
    assert results is not None
    (data,), (head,) = case.inputs, drawn_heads(results.types, case.digest)
    scope = {"np": np, "data": materialise(data.tensor, case.digest, "data"), "head": head}
    right, wrong = GRADIENTS[operator]
    wanted = [results.gradients["data"]]
    assert compare_results(wanted, [eval(right, scope)], HowCompared()) is None
    for text in wrong:
        found = compare_results(wanted, [eval(text, scope)], HowCompared(), ["gradient of data"])
        assert "largest error" in words_of(found)


def test_random_numbers_of_another_distribution_are_caught() -> None:
    random = generator("plant", "random")
    drawn = random.standard_normal(4096, "float32")
    same = random.standard_normal(4096, "float32")
    assert compare_results([drawn], [same], HowCompared(random=True)) is None
    assert "mean" in words_of(compare_results([drawn], [same + np.float32(0.3)], HowCompared(random=True)))
    assert "variance" in words_of(compare_results([drawn], [same * np.float32(1.3)], HowCompared(random=True)))
    infinite = compare_results([drawn], [same * np.float32(np.inf)], HowCompared(random=True))
    assert "numbers of NaN, infinity and -infinity" in words_of(infinite)


def test_defaults_are_those_of_the_registry(release: Release) -> None:
    operator = release.registry.find("LayerNorm")
    values = arguments(operator, case_of(Plant("LayerNorm", LAYER, "")))
    assert values["eps"] == float(np.float32(1e-5))
    assert values["axis"] == -1
    assert values["output_mean_var"] is False
