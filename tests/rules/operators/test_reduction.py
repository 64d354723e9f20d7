"""What the contract of all rules can't say of reductions."""

import math

from hypothesis import given
from hypothesis import strategies as st

from autoperf.core.operator import Form, Operator, Parameter, ParameterType, Role, TensorArgument, TensorKind
from autoperf.rules.catalog import catalog
from autoperf.rules.operators import reduction
from autoperf.rules.rule import Draft, Inputs, InputSpec

RULES = catalog([reduction]).named


def spec(name: str, *parameters: str, elements: int = 4096) -> InputSpec:
    typed = tuple(Parameter(parameter, ParameterType(Form.UNTYPED, ""), required=False) for parameter in parameters)
    data = TensorArgument("data", TensorKind.SINGLE)
    return InputSpec(Operator(name, Role.FORWARD, "nd", tensors=(data,), parameters=typed), elements=elements)


def shape_of(call: Inputs) -> tuple[int, ...]:
    draft = next(iter(call.tensors.values()))
    assert isinstance(draft, Draft)
    return draft.shape


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
