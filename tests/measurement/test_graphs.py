"""Calls that go through graphs and callbacks: what they compute, and that they are measured like any other."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

from autoperf.backends.contents import differentiable_inputs
from autoperf.backends.mxnet.call import Call, describe
from autoperf.backends.mxnet.capi import invoke as autograd
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.ndarray import NDArray
from autoperf.backends.passes import CPU, backward, forward
from autoperf.backends.protocol import BackwardRequest
from autoperf.core.case import Case, Input
from autoperf.core.errors import EngineError
from autoperf.core.graph import Graph, Node
from autoperf.core.operator import Operator, Role, Value
from autoperf.core.outcome import Status
from autoperf.core.tensors import ArrayType, Constant, Literal_, TensorSpec
from autoperf.measurement.runner import Runner
from autoperf.processes.forks import forked
from autoperf.rules.operators import control_flow, subgraph
from autoperf.rules.rule import Inputs, InputSpec

ROWS = np.arange(6, dtype="float32").reshape(3, 2)


def spec(name: str) -> InputSpec:
    return InputSpec(Operator(name, Role.FORWARD, "internal", (), "", (), (), "num_args"))


def literal(values: np.ndarray) -> TensorSpec:
    return TensorSpec(values.shape, "float32", Literal_(tuple(float(value) for value in values.ravel())))


def case(operator: str, tensors: Sequence[np.ndarray], call: Inputs | None = None, **params: Value) -> Case:
    """The operator over these values, with the graphs and parameters of a rule's call."""
    inputs = tuple(Input(f"data[{place}]", literal(values)) for place, values in enumerate(tensors))
    graphs: dict[str, Graph] = dict(call.graphs) if call else {}
    settings = {**(call.params if call else {}), **params}
    way = call.way if call else "call"
    return Case(
        operator=operator, category="test", profile="user", inputs=inputs, params=settings, graphs=graphs, way=way
    )


def computed(library: Library, one: Case) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The outputs, and the gradients of the inputs under head gradients of one."""
    call = Call(library, one, CPU)
    call.request_gradients(BackwardRequest(differentiable_inputs(one)))
    runner = Runner(call)
    outputs = forward(call)
    call.make_heads([describe(library, handle) for handle in outputs])
    backward(call, outputs)
    values = [_values(library, handle) for handle in outputs]
    gradients = [gradient.to_numpy() for gradient in call.gradients.values()]
    runner.release(outputs)
    call.free()
    return values, gradients


def _values(library: Library, handle: int) -> np.ndarray:
    array = NDArray(library, handle)
    found = array.to_numpy()
    array.handle = None
    return found


def test_foreach_adds_row_after_row(library: Library) -> None:
    call = control_flow.over_steps(spec("_foreach"), 3, control_flow.ADDITION, (2,), {})
    (sums, last), (by_row, by_state) = computed(library, case("_foreach", [ROWS, np.ones(2, "float32")], call))
    assert sums.tolist() == (1 + np.cumsum(ROWS, axis=0)).tolist()
    assert last.tolist() == sums[-1].tolist()
    # Row i is in the sums from i on, and in the last state; the state is in all of them.
    assert by_row.tolist() == [[4.0, 4.0], [3.0, 3.0], [2.0, 2.0]]
    assert by_state.tolist() == [4.0, 4.0]


def test_foreach_finds_the_weights_of_a_cell(library: Library) -> None:
    call = control_flow.cell_over_steps(spec("_foreach"), 3, 1, 2)
    state, weight, recurrent = np.zeros((1, 2)), np.array([[0.5, 0.0], [0.0, 0.25]]), np.array([[0.0, 1.0], [0.0, 0.0]])
    tensors = [each.astype("float32") for each in (ROWS.reshape(3, 1, 2), state, weight, recurrent)]
    (steps, _), _ = computed(library, case("_foreach", tensors, call))
    expected = state
    for row, step in zip(ROWS, steps, strict=True):
        expected = np.tanh(row @ weight.T + expected @ recurrent.T)
        assert np.allclose(step, expected, atol=1e-6)


def test_while_loop_stops_when_its_condition_fails(library: Library) -> None:
    call = control_flow.repeating(spec("_while_loop"), 2, 4, (2,))
    one = case("_while_loop", [np.zeros(1, "float32"), np.array([8.0, 4.0], "float32")], call)
    call_ = Call(library, one, CPU)
    outputs = forward(call_)
    rows, count, state = (_values(library, handle) for handle in outputs)
    assert rows[:2].tolist() == [[4.0, 2.0], [2.0, 1.0]]
    assert (rows.shape, count.tolist(), state.tolist()) == ((4, 2), [2.0], [2.0, 1.0])


@pytest.mark.parametrize(("taken", "expected"), [(True, [4.0, 6.0]), (False, [3.0, 8.0])])
def test_cond_takes_the_branch_that_it_is_told(library: Library, taken: bool, expected: list[float]) -> None:
    call = control_flow.branching(spec("_cond"), (2,), taken)
    tensors = [np.array(each, "float32") for each in ([float(taken)], [1.0, 2.0], [3.0, 4.0])]
    (result,), gradients = computed(library, case("_cond", tensors, call))
    assert result.tolist() == expected
    assert gradients[1].tolist() == ([1.0, 1.0] if taken else [3.0, 4.0])


@pytest.mark.parametrize("flags", [{}, {"static_alloc": True, "static_shape": True}])
def test_a_compiled_graph_is_what_is_called(library: Library, flags: dict[str, Value]) -> None:
    x, y = np.array([0.5, 1.0], "float32"), np.array([2.0, -1.0], "float32")
    call = Inputs({}, flags, graphs={"graph": subgraph.COMPILED}).compiled()
    (result,), gradients = computed(library, case("_CachedOp", [x, y], call))
    assert np.allclose(result, 1 / (1 + np.exp(-(np.tanh(x * y) + y))), atol=1e-6)
    assert len(gradients) == 2


@pytest.mark.parametrize(
    ("operator", "parameter", "value"),
    [
        ("Custom", "op_type", "autoperf_add_one"),
        ("_NDArray", "info", "autoperf_add_one.arrays"),
        ("_Native", "info", "autoperf_add_one.memory"),
    ],
)
def test_an_operator_written_in_python_is_called_and_differentiated(
    library: Library, operator: str, parameter: str, value: str
) -> None:
    def computes(name: str) -> bytes:
        one = case(operator, [ROWS], None, **{name: value})
        return json.dumps([[array.tolist() for array in arrays] for arrays in computed(library, one)]).encode()

    # In a fork: the threads of Custom are not joined when a process ends, which then aborts.
    (answer,) = forked(computes, [parameter], limit=60)
    assert isinstance(answer, bytes)
    (result,), (gradient,) = json.loads(answer)
    assert result == (ROWS + 1).tolist()
    assert gradient == np.ones_like(ROWS).tolist()


def test_what_is_written_elsewhere_is_there_and_has_its_gradient(library: Library) -> None:
    inputs = (Input("data", literal(ROWS)), Input("out", TensorSpec((3, 2), "float32", Constant(0.0))))
    one = Case(operator="_copyto", category="test", profile="user", inputs=inputs, in_place=("out",))
    (result,), (gradient,) = computed(library, one)
    assert result.tolist() == ROWS.tolist()
    assert gradient.tolist() == np.ones_like(ROWS).tolist()


def test_a_graph_whose_flags_are_wrong_is_refused_in_mxnet_s_words(run) -> None:
    body = "graph('x', nodes=[node('y', 'exp', 'x')], outputs=['y'])"
    arguments = f"data=[tensor((2, 2))], graph={body}, no_such_flag=1"
    (outcome,) = run("_CachedOp", arguments, decoration="way='compiled'")
    assert outcome.status is Status.FAILED
    assert "no_such_flag" in outcome.reason


def test_a_graph_of_an_unknown_operator_costs_its_case_alone(run) -> None:
    body = "graph('x', nodes=[node('y', 'no_such_operator', 'x')], outputs=['y'])"
    sound = "graph('x', nodes=[node('y', 'exp', 'x'), node('z', 'log', 'y'), node('w', 'exp', 'z')], outputs=['w'])"
    both = [f"data=[tensor((2, 2))], graph={one}" for one in (body, sound)]
    broken, fine = run("_CachedOp", *both, decoration="way='compiled'")
    assert broken.status is Status.FAILED
    assert "no_such_operator" in broken.reason
    assert fine.status is Status.MEASURED
    assert set(fine.forward.kernels) == {"exp", "log"}


def test_the_executor_s_own_copy_is_measured(run) -> None:
    (outcome,) = run("_CrossDeviceCopy", "data=tensor((64, 64))", decoration="way='executor', training=False")
    assert outcome.status is Status.MEASURED
    assert list(outcome.forward.kernels) == ["CopyCPU2CPU"]
    assert outcome.backward is None


def test_recording_is_off_after_every_call(library: Library) -> None:
    call = control_flow.over_steps(spec("_foreach"), 3, control_flow.ADDITION, (2,), {})
    computed(library, case("_foreach", [ROWS, np.ones(2, "float32")], call))
    assert autograd.set_recording(library, False) is False


def test_a_file_is_there_for_the_operator_that_reads_it(run) -> None:
    header = struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 54 + 24, 0, 0, 54, 40, 4, 2, 1, 24, 0, 24, 0, 0, 0, 0)
    image = f"filename=tensor((78,), 'uint8', literal{tuple(header)})"
    (outcome,) = run("_cvimread", image)
    assert (outcome.status, outcome.reason) == (Status.MEASURED, "")
    assert outcome.outputs == (ArrayType((2, 4, 3), "uint8"),)
    assert outcome.forward.wall_us.count == 3


def halves(reference: str) -> Case:
    """A graph that refers to an output of a node that has two."""
    nodes = (Node("halves", "split", ("x",), {"num_outputs": 2}), Node("y", "exp", (reference,)))
    whole = Graph(("x",), nodes, ("y",))
    spec = TensorSpec((4, 4), "float32", Constant(1.0))
    return Case(
        operator="_CachedOp", category="test", profile="user", inputs=(Input("data[0]", spec),),
        graphs={"body": whole}, way="compiled",
    )  # fmt: skip


def test_an_output_that_a_node_does_not_have_is_refused_in_words(library: Library) -> None:
    Call(library, halves("halves[1]"), CPU).free()
    with pytest.raises(EngineError, match=r"halves\[2\], but the node 'halves' \(split\) has 2 outputs"):
        Call(library, halves("halves[2]"), CPU)


CONVOLUTION = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 2, "no_bias": True}
FUSIBLE = Graph(
    ("x", "weight"),
    (
        Node("convolved", "Convolution", ("x", "weight"), CONVOLUTION),
        Node("bent", "Activation", ("convolved",), {"act_type": "relu"}),
    ),
    ("bent",),
)


def test_a_graph_computes_the_same_eagerly_compiled_and_fused(library: Library) -> None:
    image = np.linspace(-1, 1, 32, dtype="float32").reshape(1, 2, 4, 4)
    weight = np.linspace(-1, 1, 36, dtype="float32").reshape(2, 2, 3, 3)
    results = []
    for way in ("eager", "compiled", "fused"):
        made = case("_CachedOp", [image, weight])
        one = msgspec.structs.replace(made, graphs={"graph": FUSIBLE}, way=way, training=False)
        call = Call(library, one, CPU)
        outputs = forward(call)
        results.append(_values(library, outputs[0]))
    assert results[0].max() > 0
    for result in results[1:]:
        np.testing.assert_allclose(result, results[0], rtol=1e-5)


def test_gradients_flow_through_an_eager_graph(library: Library) -> None:
    made = msgspec.structs.replace(case("_CachedOp", [ROWS, ROWS]), graphs={"graph": subgraph.COMPILED})
    eager, compiled = (computed(library, msgspec.structs.replace(made, way=way)) for way in ("eager", "compiled"))
    for one, other in zip((*eager[0], *eager[1]), (*compiled[0], *compiled[1]), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
