"""Rules that read from an operator's signature which release it comes from."""

from __future__ import annotations

from autoperf.core.operator import Form, Operator, Parameter, ParameterType, Role, TensorArgument, TensorKind
from autoperf.core.tensors import Literal_
from autoperf.rules.operators.creation import full, linspace
from autoperf.rules.operators.random import multinomial
from autoperf.rules.operators.slicing import mask_call
from autoperf.rules.rule import Draft, InputSpec
from autoperf.rules.table import where_known


def spec(*parameters: str, tensors: tuple[str, ...] = ()) -> InputSpec:
    """A spec for an operator with these parameters and tensors."""
    listed = tuple(Parameter(name, ParameterType(Form.INTEGER, "int"), False, "0") for name in parameters)
    arguments = tuple(TensorArgument(name, TensorKind.SINGLE) for name in tensors)
    return InputSpec(Operator("made_up", Role.FORWARD, "nd", tensors=arguments, parameters=listed))


def test_one_of_three_spellings_of_a_number_counts_where_the_release_has_them() -> None:
    params = full.canonical(spec("value_type"))["small"].params
    assert params["value_type"] == 2
    assert (params["double_value"], params["int_value"], params["uint_value"]) == (1.5, 0, 0)
    assert full.canonical(spec("value"))["small"].params["value"] == 1.5


def test_both_ends_of_a_line_are_spelled_alike() -> None:
    params = linspace.canonical(spec("value_type"))["small"].params
    assert (params["start_double"], params["stop_double"]) == (0.0, 1.0)
    older = linspace.canonical(spec("start"))["small"].params
    assert (older["start"], older["stop"], older["num"]) == (0.0, 1.0, params["num"])


def test_a_parameter_that_a_release_lacks_is_left_out() -> None:
    assert where_known(spec("aligned"), aligned=True, other=1) == {"aligned": True}


def test_a_mask_covers_the_whole_array_where_it_can_not_start_at_an_axis() -> None:
    masking = ((4, 6, 5), 1, 1, (1.0, 0.0))
    call, whole = mask_call(spec("start_axis"), masking), mask_call(spec(), masking)
    assert (call.tensors["mask"], call.params) == (Draft((6,), "bool", Literal_((1.0, 0.0))), {"start_axis": 1})
    assert (whole.tensors["mask"], whole.params) == (Draft((4, 6, 5), "uint8", Literal_((1.0, 0.0))), {})
    assert whole.tensors["value"] == Draft((60,))


def test_a_mask_assigns_as_many_values_as_its_pattern_selects() -> None:
    call = mask_call(spec("start_axis"), ((3, 4, 5), 0, 2, (1.0, 0.0, 0.0, 1.0, 1.0)))
    assert call.tensors["mask"] == Draft((3, 4), "bool", Literal_((1.0, 0.0, 0.0, 1.0, 1.0)))
    assert call.tensors["value"] == Draft((7, 5))


def test_the_axes_before_and_behind_the_mask_stay() -> None:
    assert mask_call(spec("start_axis"), ((2, 6, 5), 1, 1, (1.0, 0.0))).tensors["value"] == Draft((2, 3, 5))


def test_a_multinomial_that_takes_a_number_of_trials_is_given_one_for_each_distribution() -> None:
    counting = multinomial.canonical(spec(tensors=("n", "p")))["small"].tensors
    assert set(counting) == {"n", "p"}
    assert set(multinomial.canonical(spec(tensors=("data",)))["small"].tensors) == {"data"}
