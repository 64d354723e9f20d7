"""What the contract of all rules can't say of products, reductions, reshaping, masks and whole tiles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoperf.cases.build import Recipe
from autoperf.cases.release import Release
from autoperf.core.operator import Form, Operator, Parameter, ParameterType, Role, TensorArgument, TensorKind
from autoperf.core.tensors import Distinct, Integers, TensorSpec
from autoperf.rules.catalog import catalog
from autoperf.rules.operators import gemm, indexing, intgemm, reduction
from autoperf.rules.operators.reshaping import CLASSIC, NUMPY, coded_shapes, plain_shapes
from autoperf.rules.rule import Draft, Inputs, InputSpec, Rule
from autoperf.strategies import shapes
from autoperf.strategies.shapes import draw_block
from tests.implementations_cases import cases_of

RULES = catalog([reduction]).named


def spec(name: str, *parameters: str, elements: int = 4096) -> InputSpec:
    typed = tuple(Parameter(parameter, ParameterType(Form.UNTYPED, ""), required=False) for parameter in parameters)
    data = TensorArgument("data", TensorKind.SINGLE)
    return InputSpec(Operator(name, Role.FORWARD, "nd", tensors=(data,), parameters=typed), elements=elements)


def shape_of(call: Inputs) -> tuple[int, ...]:
    draft = next(iter(call.tensors.values()))
    assert isinstance(draft, Draft)
    return draft.shape


@pytest.mark.parametrize(
    ("operator", "name"), [("scatter_nd", "indices"), ("_scatter_set_nd", "indices"), ("_npx_index_update", "ind")]
)
def test_no_point_is_written_twice(operator: str, name: str, either: Release) -> None:
    known = either.registry.find(operator)
    written = cases_of(known, either, Recipe(draws=20)) if known else []
    contents = [item.tensor.content for case in written for item in case.inputs if item.name == name]
    assert {type(content) for content in contents} <= {Distinct}
    assert len(contents) == len(written)


@pytest.mark.parametrize(
    ("dtype", "points", "expected"), [("int32", 3, Distinct(5000)), ("uint8", 3, Distinct(256)), ("uint8", 300, None)]
)
def test_points_differ_as_far_as_their_dtype_can(dtype: str, points: int, expected: Distinct | None) -> None:
    found = indexing.points_apart((5000,), TensorSpec((1, points), dtype, Integers(0, 10)))
    assert found == (expected or Integers(0, 5000))


@given(st.data())
def test_exclude_leaves_an_axis_to_reduce(data: st.DataObject) -> None:
    call = data.draw(RULES["sum"].strategy(spec("sum", "axis", "keepdims", "exclude")))
    if call.params.get("exclude"):
        axis = call.params["axis"]
        assert isinstance(axis, tuple)
        assert 0 < len(axis) < len(shape_of(call))


@given(st.data())
def test_degrees_of_freedom_stay_below_the_elements_that_are_reduced(data: st.DataObject) -> None:
    call = data.draw(RULES["_npi_var"].strategy(spec("_npi_var", "axis", "ddof")))
    axis, ddof = call.params.get("axis"), call.params["ddof"]
    shape = shape_of(call)
    reduced = shape if axis is None else tuple(shape[position] for position in axis)  # type: ignore[index,union-attr]
    assert isinstance(ddof, int)
    assert 0 <= ddof < math.prod(reduced)


def test_skewed_reductions_go_over_the_long_axis_and_over_the_short_one() -> None:
    canonical = RULES["sum"].canonical(spec("sum", "axis"))
    lengths = {}
    for profile in ("skewed", "skewed_rows", "skewed_line"):
        call = canonical[profile]
        axis = call.params["axis"]
        assert isinstance(axis, tuple)
        assert math.prod(shape_of(call)) == 100_000
        lengths[profile] = [shape_of(call)[position] for position in axis]  # type: ignore[index]
    assert lengths == {"skewed": [10_000], "skewed_rows": [10], "skewed_line": [10_000]}


def test_only_operators_with_sparse_kernels_get_sparse_inputs() -> None:
    dense = spec("max", "axis")
    sparse = InputSpec(Operator("sum", Role.FORWARD, "nd", aliases=("_sparse_sum",), tensors=dense.operator.tensors))
    assert "csr" not in RULES["sum"].canonical(dense)
    assert "csr" in RULES["sum"].canonical(sparse)


BUDGET = 4096


def drawn(name: str) -> InputSpec:
    return InputSpec(Operator(name, Role.FORWARD, "np"), elements=BUDGET)


def zeros(call: Inputs) -> list[np.ndarray]:
    flat: list[Draft] = []
    for draft in call.tensors.values():
        flat.extend([draft] if isinstance(draft, Draft) else draft)
    return [np.zeros(draft.shape, dtype="float32") for draft in flat]


@given(st.data())
def test_einsum_agrees_with_numpy_and_its_loops_are_bounded(data: st.DataObject) -> None:
    call = data.draw(gemm.einsum.strategy(drawn("_npi_einsum")))
    subscripts = str(call.params["subscripts"])
    operands = zeros(call)
    np.einsum(subscripts, *operands)
    terms = subscripts.split("->", maxsplit=1)[0].replace("...", ".").split(",")
    extent = {
        label: size
        for term, operand in zip(terms, operands, strict=True)
        for label, size in zip(term, operand.shape, strict=True)
    }
    assert math.prod(extent.values()) <= BUDGET * 4


@given(st.data())
def test_tensordot_sums_axes_of_equal_length(data: st.DataObject) -> None:
    call = data.draw(gemm.tensordot.strategy(drawn("_npi_tensordot")))
    a, b = zeros(call)
    axes = call.params["a_axes_summed"], call.params["b_axes_summed"]
    assert axes[0], "summing no axis aborts MXNet"
    assert np.tensordot(a, b, axes).size <= BUDGET  # type: ignore[arg-type]


@pytest.mark.parametrize(("rule", "product"), [(gemm.matmul, np.matmul), (gemm.numpy_dot, np.dot)])
def test_products_agree_with_numpy(rule, product) -> None:
    @given(st.data())
    def agrees(data: st.DataObject) -> None:
        left, right = zeros(data.draw(rule.strategy(drawn("product"))))
        assert product(left, right).size <= BUDGET

    agrees()


DRAWS = 40
SPEC = InputSpec(Operator("made_up", Role.FORWARD, "nd"))
WEIGHTED = [rule for rule in vars(intgemm).values() if isinstance(rule, Rule) and "weight" in str(rule.names)]


def drawn_and_canonical(rule: Rule) -> list[Inputs]:
    """All canonical calls, and some drawn ones."""
    return [*rule.canonical(SPEC).values(), *draw_block(rule.strategy(SPEC), "seed", DRAWS, 0)]


def single(call: Inputs, name: str) -> Draft:
    draft = call.tensors[name]
    assert isinstance(draft, Draft)
    return draft


@pytest.mark.parametrize("rule", [*WEIGHTED, intgemm.fully_connected], ids=lambda rule: rule.names[0])
def test_weights_have_whole_tiles(rule: Rule) -> None:
    for call in drawn_and_canonical(rule):
        rows, columns = single(call, "weight").shape
        assert rows % intgemm.OUTER == 0
        assert columns % intgemm.INNER == 0


def test_a_layer_adds_a_bias_of_the_result_s_dtype_and_scales_only_floats() -> None:
    for call in drawn_and_canonical(intgemm.fully_connected):
        out = call.params["out_type"]
        assert ("scaling" in call.tensors) == (out == "float32")
        assert ("bias" in call.tensors) != call.params["no_bias"]
        if "bias" in call.tensors:
            assert single(call, "bias").dtype == out
            assert single(call, "bias").shape == (call.params["num_hidden"],)


def decoded(source, target, codes):
    """The shape that the codes describe, as MXNet documents them."""
    result, left, coded = [], list(source), iter(target)
    for code in coded:
        if code == codes.rest:
            result += left
            left = []
        elif code == codes.merge:
            result.append(left.pop(0) * left.pop(0))
        elif code == codes.split:
            first, second, extent = next(coded), next(coded), left.pop(0)
            result += [first, extent // first if second == -1 else second]
        else:
            extent = left.pop(0)
            result.append(extent if code == codes.keep else code)
    assert not left
    return result


@pytest.mark.parametrize("codes", [CLASSIC, NUMPY], ids=["classic", "numpy"])
@given(data=st.data())
def test_codes_speak_of_every_dimension_once(codes, data):
    source = data.draw(shapes(1, 5, 4096))
    target = data.draw(coded_shapes(source, codes))
    assert math.prod(decoded(source, target, codes)) == math.prod(source)


@given(st.data())
def test_plain_targets_have_the_source_s_elements(data):
    source = data.draw(shapes(1, 4, 4096))
    target = data.draw(plain_shapes(source))
    assert target.count(-1) <= 1
    known = math.prod(size for size in target if size != -1)
    assert math.prod(source) % known == 0
    assert -1 in target or known == math.prod(source)
