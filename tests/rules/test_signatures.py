"""Rules that read from an operator's signature which release it comes from."""

from __future__ import annotations

from autoperf.core.operator import Form, Operator, Parameter, ParameterType, Role, TensorArgument, TensorKind
from autoperf.rules.operators.creation import full, linspace
from autoperf.rules.operators.random import multinomial
from autoperf.rules.operators.slicing import Masking
from autoperf.rules.rule import InputSpec
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
    masking = Masking((4, 6, 5), 1, 1, (1.0, 0.0))
    assert masking.fitting(spec("start_axis")) == masking
    whole = masking.fitting(spec())
    assert (whole.mask.shape, whole.mask.dtype, whole.chosen) == ((4, 6, 5), "uint8", (60,))


def test_a_multinomial_that_takes_a_number_of_trials_is_given_one_for_each_distribution() -> None:
    counting = multinomial.canonical(spec(tensors=("n", "p")))["small"].tensors
    assert set(counting) == {"n", "p"}
    assert set(multinomial.canonical(spec(tensors=("data",)))["small"].tensors) == {"data"}
