"""Rules for loops and branches, whose bodies are graphs: foreach, while_loop, cond."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from hypothesis import strategies as st

from autoperf.core.graph import Graph, Node
from autoperf.core.operator import Value
from autoperf.core.tensors import Constant, Shape
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule
from autoperf.rules.table import MATRIX_SHAPES, where_known
from autoperf.strategies import extents

control_flow_rule = partial(rule, category="control_flow")

# MXNet evaluates the condition of a recorded loop into one array again and again, which recording forbids from the
# second time on: only a loop of a single step has a backward pass ("single").

# The body of a loop keeps one row, or a batch of them, going: an addition, a gate, or a recurrent cell.
ADDITION = Graph(("row", "state"), (Node("total", "elemwise_add", ("row", "state")),), ("total", "total"))
GATE = Graph(
    ("row", "state"),
    (
        Node("gate", "sigmoid", ("row",)),
        Node("kept", "elemwise_mul", ("gate", "state")),
        Node("next", "elemwise_add", ("kept", "row")),
    ),
    ("next", "next"),
)
# The dtypes of fully connected layers on a CPU.
MULTIPLIED = ("float32", "float64")
BODIES = {"addition": ADDITION, "gate": GATE}


def places(graph: Graph, names: Sequence[str]) -> tuple[int, ...]:
    """The positions of these variables among the graph's inputs."""
    input_order = graph.input_order()
    return tuple(input_order.index(name) for name in names)


def sources(graph: Graph, names: Sequence[str]) -> tuple[int, ...]:
    """The position of each input of the graph among `names`, the operator's inputs."""
    return tuple(names.index(name) for name in graph.input_order())


def counted(spec: InputSpec, tensors: int, graphs: int) -> int:
    """The parameter num_args: tensors and graphs, or only tensors for NumPy's operators."""
    return tensors if spec.operator.name.startswith("_npx") else tensors + graphs


def over_steps(spec: InputSpec, steps: int, body: Graph, state: Shape, weights: Mapping[str, Shape]) -> Inputs:
    """foreach over the first axis of (steps, *state), with one state and the body's weights."""
    tensors = [Draft((steps, *state)), Draft(state), *map(Draft, weights.values())]
    return inputs(
        data=tensors,
        fn=body,
        num_args=counted(spec, len(tensors), 1),
        num_outputs=2,
        num_out_data=1,
        in_data_locs=places(body, ["row"]),
        in_state_locs=places(body, ["state"]),
        remain_locs=places(body, list(weights)),
        **where_known(spec, in_state_index=(0,)),
    )


def cell_over_steps(spec: InputSpec, steps: int, batch: int, units: int) -> Inputs:
    """foreach with a step of a plain recurrent network, which is its usual body: tanh(row W + state U)."""
    dense: dict[str, Value] = {"num_hidden": units, "no_bias": True}
    nodes = (
        Node("read", "FullyConnected", ("row", "weight"), dense),
        Node("kept", "FullyConnected", ("state", "recurrent"), dense),
        Node("total", "elemwise_add", ("read", "kept")),
        Node("next", "tanh", ("total",)),
    )
    cell = Graph(("row", "state", "weight", "recurrent"), nodes, ("next", "next"))
    weights = {"weight": (units, units), "recurrent": (units, units)}
    return over_steps(spec, steps, cell, (batch, units), weights)


@control_flow_rule(
    "_foreach",
    "_npx_foreach",
    canonical=lambda spec: {
        "small": over_steps(spec, 8, ADDITION, (4, 32), {}),
        "common": over_steps(spec, 32, ADDITION, (32, 64), {}),
        "large": over_steps(spec, 64, ADDITION, (64, 256), {}),
        "skewed": over_steps(spec, 512, ADDITION, (1, 8), {}),
        **({"cell": cell_over_steps(spec, 32, 32, 128)} if spec.dtype in MULTIPLIED else {}),
    },
    # A launch for each step: however small its row is, its operators are launched one after another.
    moves=lambda case: float(case.inputs[0].tensor.shape[0]),
)
def foreach(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any number of steps over rows of one shape; a state of that shape goes along."""
    steps = draw(extents(1, 64))
    batch, units = draw(extents(1, 32)), draw(extents(1, 64))
    kind = draw(st.sampled_from([*BODIES, *(["cell"] if spec.dtype in MULTIPLIED else [])]))
    if kind == "cell":
        return cell_over_steps(spec, steps, batch, units)
    return over_steps(spec, steps, BODIES[kind], (batch, units), {})


HALVING = Graph(
    ("count", "state"),
    (
        Node("counted", "_plus_scalar", ("count",), {"scalar": 1.0}),
        Node("next", "_mul_scalar", ("state",), {"scalar": 0.5}),
        # MXNet can't record a loop whose output is also its next state.
        Node("row", "identity", ("next",)),
    ),
    ("row", "counted", "next"),
)


def repeating(spec: InputSpec, steps: int, most: int, state: Shape) -> Inputs:
    """while_loop that halves its state in `steps` of at most `most` steps."""
    names = ("count", "state")
    condition = Graph(("count",), (Node("more", "_lesser_scalar", ("count",), {"scalar": float(steps)}),), ("more",))
    return inputs(
        data=[Draft((1,), dtype="float32", content=Constant(0.0)), Draft(state)],
        cond=condition,
        func=HALVING,
        num_args=counted(spec, len(names), 2),
        num_outputs=3,
        num_out_data=1,
        max_iterations=most,
        cond_input_locs=sources(condition, names),
        func_input_locs=sources(HALVING, names),
        func_var_locs=places(HALVING, names),
    )


@control_flow_rule(
    "_while_loop",
    "_npx_while_loop",
    canonical=lambda spec: {
        "small": repeating(spec, 4, 8, (4, 32)),
        "common": repeating(spec, 16, 16, (32, 64)),
        "large": repeating(spec, 32, 32, (64, 256)),
        "skewed": repeating(spec, 128, 256, (1, 8)),
        "early": repeating(spec, 1, 64, (32, 64)),
        "single": repeating(spec, 1, 1, (256, 256)),
    },
)
def while_loop(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """At least one step, and no more than are allowed: the outputs are as long as the most steps."""
    most = draw(extents(1, 64))
    steps = draw(st.integers(1, most))
    return repeating(spec, steps, most, (draw(extents(1, 32)), draw(extents(1, 64))))


# The predicate itself; a graph needs a node.
TRUTH = Graph(("predicate",), (Node("told", "identity", ("predicate",)),), ("told",))
THEN = Graph(("x", "y"), (Node("result", "elemwise_add", ("x", "y")),), ("result",))
OTHERWISE = Graph(("x", "y"), (Node("result", "elemwise_mul", ("x", "y")),), ("result",))


def branching(spec: InputSpec, shape: Shape, is_true: bool) -> Inputs:
    """cond over a predicate that is one or zero: x + y, else x * y."""
    names = ("predicate", "x", "y")
    return inputs(
        data=[Draft((1,), dtype="float32", content=Constant(float(is_true))), Draft(shape), Draft(shape)],
        cond=TRUTH,
        then_branch=THEN,
        else_branch=OTHERWISE,
        num_args=counted(spec, len(names), 3),
        num_outputs=1,
        cond_input_locs=sources(TRUTH, names),
        then_input_locs=sources(THEN, names),
        else_input_locs=sources(OTHERWISE, names),
    )


@control_flow_rule(
    "_cond",
    "_npx_cond",
    canonical=lambda spec: {
        **{profile: branching(spec, shape, True) for profile, shape in MATRIX_SHAPES.items()},
        "else": branching(spec, (256, 256), False),
    },
)
def cond(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Either branch, over two tensors of one shape."""
    rows = draw(extents(1, 1024))
    return branching(spec, (rows, draw(extents(1, max(1, spec.elements // rows)))), draw(st.booleans()))
