"""The tables of implementations name what exists, and hold over drawn cases."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import pytest

from autoperf.backends.mxnet.capi.library import Library
from autoperf.cases.release import Release
from autoperf.core.operator import Operator
from autoperf.core.tensors import ArrayType
from autoperf.implementations.expressions import free_names, input_names, known_names
from autoperf.implementations.implementation import FRAMEWORKS, Implementation, TableLine, line
from autoperf.implementations.lookup import found_by_name, implementation, lines_by_operator
from tests.implementations_cases import SAMPLED, cases_of
from tools.implementation_check import difference_of, first_held, open_engine
from tools.implementation_files import OperatorResults
from tools.implementation_introspection import names_of, proposals
from tools.implementation_references import run_all

LINES = sorted({id(entry): entry for lines in lines_by_operator().values() for entry in lines}.values(), key=str)
UNDECLARED = {"endpoint", "num", "axis", "keepdims", "flag", "ord", "a", "size", "dim", "num_args", "is_renamed"}
AIMS = {"torch": 350, "numpy": 330, "jax": 300}


def names_for(operator: Operator, framework: str, prepared: set[str]) -> set[str]:
    inputs = {tensor.name for tensor in operator.tensors}
    parameters = {parameter.name for parameter in operator.parameters}
    given = {"training", "outputs", "out"}
    return inputs | parameters | given | known_names(framework) | prepared | UNDECLARED


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_expressions_name_inputs_parameters_and_the_vocabulary(framework: str, release: Release) -> None:
    unknown = {}
    for entry in implementations(framework):
        operator = release.registry.find(entry.operator)
        known = names_for(operator, framework, set(entry.prepare))
        for text in (entry.expression, *entry.prepare.values()):
            if free_names(text) - known:
                unknown[entry.operator, text] = free_names(text) - known
    assert unknown == {}


def implementations(framework: str) -> Iterator[Implementation]:
    yield from found_by_name(framework).values()
    for name, lines in lines_by_operator().items():
        yield from (it.implementation(framework, name) for it in lines if framework in it.expressions)


def test_every_operator_of_the_tables_is_registered(release: Release) -> None:
    named = set(lines_by_operator()).union(*(found_by_name(name) for name in FRAMEWORKS))
    assert {name for name in named if not release.registry.find(name)} == set()


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_aims_are_reached(framework: str) -> None:
    assert len({entry.operator for entry in implementations(framework)}) >= AIMS[framework]


def test_conditions_are_expressions() -> None:
    assert [entry for entry in LINES if entry.when and not free_names(entry.when)] == []


IGNORED = {
    "is_int", "ctx", "num_args", "name", "dim", "initial", "grad_scale", "valid_thresh", "normalization", "step",
    "repeat", "infer_range", "input_dim", "output_dim", "dtype", "sparse_grad", "order", "copy", "out_dtype",
}  # fmt: skip
"""Parameters that no expression needs: of MXNet's own backward passes and storage, or without an effect."""


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_what_introspection_found_reads_every_parameter(framework: str, release: Release) -> None:
    ignored = {}
    for entry in found_by_name(framework).values():
        parameters = {parameter.name for parameter in release.registry.find(entry.operator).parameters}
        read = free_names(entry.expression).union(*map(free_names, entry.prepare.values()))
        if parameters - read - IGNORED:
            ignored[entry.operator] = parameters - read - IGNORED
    assert ignored == {}


def test_types_with_other_results_have_no_implementation(release: Release) -> None:
    operator = release.registry.find("exp")
    case = cases_of(operator, release)[0]
    (data,) = case.inputs
    whole = msgspec.structs.replace(data, tensor=msgspec.structs.replace(data.tensor, dtype="int32"))
    integers = msgspec.structs.replace(case, inputs=(whole,), outputs=(ArrayType((32, 32), "int32"),))
    assert implementation("numpy", operator, integers) == (
        "NumPy has other results for int32 -> int32: output: dtype float64, expected int32"
    )
    assert implementation("numpy", operator, case).origin == "found"


CONVERSIONS = re.compile(r"whole\(|kinded\(|trailing\(|widened|before_last\(|probabilit|!= 0|_mask\(|reversed_places\(")


def test_conversions_outside_the_timed_part_have_a_note(release: Release) -> None:
    untold = []
    for name, lines in lines_by_operator().items():
        inputs = {tensor.name for tensor in release.registry.find(name).tensors}
        for entry in lines:
            converted = [key for key, text in entry.shared.prepare.items() if key in inputs or CONVERSIONS.search(text)]
            untold += [(name, converted)] if converted and not entry.shared.note else []
    assert untold == []


@pytest.mark.parametrize("name", SAMPLED)
def test_implementations_in_numpy_have_mxnets_results(name: str, release: Release, library: Library) -> None:
    operator = release.registry.find(name)
    compared = 0
    for expected in run_all(library, operator, cases_of(operator, release)):
        chosen = implementation("numpy", operator, expected.case)
        if not expected.error and not isinstance(chosen, str):
            assert difference_of(open_engine("numpy"), chosen, operator, expected) == ""
            compared += 1
    assert compared


def test_introspection_finds_what_numpy_has(release: Release, library: Library) -> None:
    for name, expression in {
        "take": "np.take(a, indices, axis=axis, mode=mode)",
        "broadcast_hypot": "np.hypot(lhs, rhs)",
        "_npi_argmax": "np.argmax(data, axis=axis, keepdims=keepdims)",
        "_greater_scalar": "np.greater(data, scalar)",
    }.items():
        operator = release.registry.find(name)
        expected = tuple(run_all(library, operator, cases_of(operator, release)))
        held = first_held("numpy", open_engine("numpy"), OperatorResults(operator, "", expected))
        assert held is not None
        assert held.expression == expression
        assert held == found_by_name("numpy")[name]


def test_proposals_are_by_name_without_prefixes_and_by_synonym(release: Release) -> None:
    assert {"less", "lesser"} <= set(names_of(release.registry.find("broadcast_lesser")))
    texts = [
        entry.expression for entry in proposals("numpy", release.registry.find("_npi_rsubtract_scalar"), ["scalar"])
    ]
    assert texts[0] == "np.subtract(scalar, data)"


def test_a_users_implementation_has_precedence(release: Release) -> None:
    operator = release.registry.find("softmax")
    own = Implementation("softmax", "data", "user")
    (case, *_) = cases_of(operator, release)
    assert implementation("numpy", operator, case, (own,)) == own
    assert implementation("numpy", operator, case).origin == "hand"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("_foreach", "imperatively"),
        ("_sparse_retain", "stored sparsely"),
        ("_contrib_MultiBoxTarget", "NumPy has no equivalent"),
    ],
)
def test_an_operator_without_an_implementation_has_a_reason(name: str, reason: str, release: Release) -> None:
    operator = release.registry.find(name)
    assert reason in implementation("numpy", operator, cases_of(operator, release)[0])


def test_the_next_line_is_tried_and_the_last_reason_names_the_condition(release: Release) -> None:
    operator = release.registry.find("Activation")
    case = cases_of(operator, release)[0]
    other = msgspec.structs.replace(case, params={"act_type": "tanh"})
    unknown = msgspec.structs.replace(case, params={"act_type": "mish"})
    assert implementation("jax", operator, other).expression == "jnp.tanh(data)"
    assert "it needs act_type == 'relu'" in implementation("jax", operator, unknown)


def test_a_condition_over_a_parameter_that_a_case_lacks_is_a_reason(release: Release) -> None:
    operator = release.registry.find("_npi_norm")
    case = msgspec.structs.replace(cases_of(operator, release)[0], params={"flag": -1})
    assert implementation("numpy", operator, case).endswith("these parameters or types: name 'ord' is not defined")


def test_a_line_spells_each_frameworks_names() -> None:
    entry: TableLine = line(
        "a b", "xp.sum(data)", torch="torch.sum(data, 0)", undifferentiated="jax", updates="data[2::3]"
    )
    assert entry.expressions == {"numpy": "np.sum(data)", "torch": "torch.sum(data, 0)", "jax": "jnp.sum(data)"}
    assert [entry.implementation(name, "a").differentiable for name in FRAMEWORKS] == [False, True, False]
    names = [f"data[{place}]" for place in range(7)]
    assert input_names(entry.implementation("torch", "b").updates, names) == ("data[2]", "data[5]")
