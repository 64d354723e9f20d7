"""Graphs that run as one operator, fused operators of oneDNN, custom operators, and the copy between devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.graph import STATIC_FLAGS, Graph, Node
from autoperf.core.operator import Value
from autoperf.core.tensors import Probabilities, Shape
from autoperf.rules.operators.attention import scores_flops, values_flops
from autoperf.rules.operators.convolution import convolution_flops
from autoperf.rules.operators.gemm import batch_dot_flops
from autoperf.rules.operators.nn_basic import dense_flops
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule
from autoperf.rules.table import MATRIX_SHAPES, Row, SampleInputs, of_shape, of_size, sized, table
from autoperf.strategies import extents, shapes

subgraph_rule = partial(rule, category="subgraph")

# Four nodes: MXNet dissolves compiled graphs of one or two into single calls.
COMPILED = Graph(
    ("x", "y"),
    (
        Node("product", "elemwise_mul", ("x", "y")),
        Node("bent", "tanh", ("product",)),
        Node("total", "elemwise_add", ("bent", "y")),
        Node("result", "sigmoid", ("total",)),
    ),
    ("result",),
)


def compiled(_spec: InputSpec, shape: Shape, /, **flags: Value) -> Inputs:
    """A chain of elementwise operators on two tensors of one shape."""
    return inputs(data=[Draft(shape), Draft(shape)], graph=COMPILED, **flags).compiled()


@subgraph_rule(
    "_CachedOp",
    canonical=lambda spec: {
        **sized(compiled, MATRIX_SHAPES)(spec),
        "static": compiled(spec, (256, 256), **STATIC_FLAGS),
    },
)
def cached_op(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any shape; memory planned for each call, once, or once with the shapes fixed."""
    static = draw(st.sampled_from(({}, {"static_alloc": True}, STATIC_FLAGS)))
    return compiled(spec, draw(shapes(1, 4, spec.elements)), **static)


def thread_safe(spec: InputSpec, shape: Shape) -> Inputs:
    """The compiled graph that several threads may call, which has no backward pass."""
    return compiled(spec, shape, **STATIC_FLAGS).compiled(thread_safe=True).inference()


# The operators after each fused convolution, by name, and the parameters that announce them.
TAILS: Mapping[str, tuple[str, ...]] = {
    "plain": (),
    "relu": ("with_act",),
    "sum": ("with_sum",),
    "sum_relu": ("with_sum", "with_postsum_act"),
}


def fused_convolution(image: Shape, width: int, kernel: int, tail: str) -> Inputs:
    """Convolution on (N, C, H, W), then a sum with another tensor, then relu, as `tail` says; `same` padding."""
    batch, channels, height, wide = image
    params: dict[str, Value] = {
        "kernel": (kernel, kernel),
        "pad": (kernel // 2, kernel // 2),
        "num_filter": width,
        "no_bias": True,
        "layout": "NCHW",
    }
    variables = ["data", "weight"]
    nodes = [Node("convolved", "Convolution", ("data", "weight"), params)]
    tensors = [Draft(image), Draft((width, channels, kernel, kernel))]
    if "sum" in tail:
        variables.append("other")
        nodes.append(Node("summed", "elemwise_add", ("convolved", "other")))
        tensors.append(Draft((batch, width, height, wide)))
    if "relu" in tail:
        nodes.append(Node("bent", "Activation", (nodes[-1].name,), {"act_type": "relu"}))
    graph = Graph(tuple(variables), tuple(nodes), (nodes[-1].name,))
    flags: dict[str, Value] = dict.fromkeys(TAILS[tail], True)
    return inputs(**dict(zip(variables, tensors, strict=True)), graph=graph, **flags).inference()


FUSED_CONVOLUTION = {
    "small": fused_convolution((1, 4, 16, 16), 8, 3, "relu"),
    "common": fused_convolution((1, 16, 32, 32), 16, 3, "relu"),
    "large": fused_convolution((4, 64, 56, 56), 64, 3, "relu"),
    "skewed": fused_convolution((1, 512, 7, 7), 512, 1, "relu"),
    "plain": fused_convolution((1, 16, 32, 32), 16, 3, "plain"),
    "sum": fused_convolution((1, 16, 32, 32), 16, 3, "sum"),
    "sum_relu": fused_convolution((1, 16, 32, 32), 16, 3, "sum_relu"),
}


@subgraph_rule("_sg_mkldnn_conv", canonical=FUSED_CONVOLUTION, flops=convolution_flops)
def fused_conv(draw: st.DrawFn, _spec: InputSpec) -> Inputs:
    """Square kernels of odd size, `same` padding, and every tail that oneDNN fuses."""
    image = (draw(extents(1, 4)), draw(extents(1, 32)), draw(extents(4, 32)), draw(extents(4, 32)))
    return fused_convolution(
        image, draw(extents(1, 32)), draw(st.sampled_from((1, 3))), draw(st.sampled_from([*TAILS]))
    )


def fused_dense(batch: int, features: int, hidden: int, bent: bool) -> Inputs:
    """A fully connected layer with bias, then relu or nothing."""
    nodes = [Node("dense", "FullyConnected", ("data", "weight", "bias"), {"num_hidden": hidden})]
    if bent:
        nodes.append(Node("bent", "Activation", ("dense",), {"act_type": "relu"}))
    graph = Graph(("data", "weight", "bias"), tuple(nodes), (nodes[-1].name,))
    tensors = {"data": Draft((batch, features)), "weight": Draft((hidden, features)), "bias": Draft((hidden,))}
    return inputs(**tensors, graph=graph, with_eltwise=bent).inference()


FUSED_DENSE = {
    "small": fused_dense(4, 32, 32, True),
    "common": fused_dense(32, 256, 256, True),
    "large": fused_dense(64, 1024, 1024, True),
    "skewed": fused_dense(1, 4096, 10, True),
    "plain": fused_dense(32, 256, 256, False),
}


@subgraph_rule("_sg_mkldnn_fully_connected", canonical=FUSED_DENSE, flops=dense_flops)
def fused_fully_connected(draw: st.DrawFn, _spec: InputSpec) -> Inputs:
    """Any batch, features and hidden units."""
    return fused_dense(draw(extents(1, 256)), draw(extents(1, 512)), draw(extents(1, 256)), draw(st.booleans()))


def of_interleaved(spec: InputSpec, length: int, batch: int, heads: int, width: int) -> Draft:
    """Interleaved queries, keys and values of one sequence: length first until 1.9, then batch first."""
    leading = (length, batch) if _holds_its_graph(spec) else (batch, length)
    return Draft((*leading, heads * width * 3))


def _holds_its_graph(spec: InputSpec) -> bool:
    """Until 1.9 the fused attention wraps the plain one; since then it is a separate operator."""
    return spec.name.startswith("_sg_mkldnn")


def fused_scores(spec: InputSpec, length: int, batch: int, heads: int, width: int) -> Inputs:
    """The attention weights of each pair of tokens."""
    joint = of_interleaved(spec, length, batch, heads, width)
    plain = Node("scores", "_contrib_interleaved_matmul_selfatt_qk", ("queries_keys_values",), {"heads": heads})
    graph = {"graph": Graph(("queries_keys_values",), (plain,), ("scores",))} if _holds_its_graph(spec) else {}
    return inputs(queries_keys_values=joint, heads=heads, **graph).in_a_graph().inference()


def fused_values(spec: InputSpec, length: int, batch: int, heads: int, width: int) -> Inputs:
    """The values, weighted by the attention weights."""
    joint = of_interleaved(spec, length, batch, heads, width)
    if not _holds_its_graph(spec):
        paid = Draft((batch, heads, length, length))
        return inputs(attention=paid, queries_keys_values=joint, heads=heads).in_a_graph().inference()
    names = ("queries_keys_values", "attention")
    plain = Node("values", "_contrib_interleaved_matmul_selfatt_valatt", names, {"heads": heads})
    paid = Draft((batch * heads, length, length))
    graph = Graph(names, (plain,), ("values",))
    return inputs(queries_keys_values=joint, attention=paid, heads=heads, graph=graph).inference()


ATTENTIONS = {"small": (8, 2, 2, 16), "common": (32, 4, 4, 32), "large": (128, 4, 8, 64), "skewed": (512, 1, 1, 8)}


def _attention(build: Callable[[InputSpec, int, int, int, int], Inputs]) -> SampleInputs:
    sizes = st.tuples(extents(1, 128), extents(1, 4), st.integers(1, 8), extents(1, 64))
    return of_size(lambda spec, drawn: build(spec, *drawn), ATTENTIONS, lambda _spec: sizes)


def fused_product(batch: int, rows: int, inner: int, columns: int, turned: tuple[bool, bool]) -> Inputs:
    """batch_dot by oneDNN; `turned` has True for a transposed matrix."""
    first = (inner, rows) if turned[0] else (rows, inner)
    second = (columns, inner) if turned[1] else (inner, columns)
    tensors = {"lhs": Draft((batch, *first)), "rhs": Draft((batch, *second))}
    return inputs(**tensors, transpose_a=turned[0], transpose_b=turned[1]).in_a_graph().inference()


STRAIGHT = (False, False)
FUSED_PRODUCT = {
    "small": fused_product(4, 16, 16, 16, STRAIGHT),
    "common": fused_product(16, 64, 64, 64, STRAIGHT),
    "large": fused_product(32, 128, 128, 128, STRAIGHT),
    "skewed": fused_product(1, 2048, 8, 8, STRAIGHT),
    "transposed": fused_product(16, 64, 64, 64, (False, True)),
}


@subgraph_rule("_sg_onednn_batch_dot", canonical=FUSED_PRODUCT, flops=batch_dot_flops)
def fused_batch_dot(draw: st.DrawFn, _spec: InputSpec) -> Inputs:
    """Matrices whose inner sizes agree, either of them transposed."""
    turned = draw(st.tuples(st.booleans(), st.booleans()))
    rows, inner, columns = draw(extents(1, 64)), draw(extents(1, 64)), draw(extents(1, 64))
    return fused_product(draw(extents(1, 16)), rows, inner, columns, turned)


CALLBACK_ARGUMENTS = {"_NDArray": "arrays", "_Native": "memory"}
"""The arguments of the callbacks of each operator."""


RULES = table(
    __name__,
    "subgraph",
    thread_safe_cached_op=Row(("_CachedOpThreadSafe",), of_shape(thread_safe), "Any shape."),
    scores=Row(
        ("_sg_mkldnn_selfatt_qk",),
        _attention(fused_scores),
        "Interleaved queries, keys and values of one sequence.",
        dtypes=("float32",),
        flops=scores_flops,
    ),
    values=Row(
        ("_sg_mkldnn_selfatt_valatt",),
        _attention(fused_values),
        "Interleaved queries, keys and values of one sequence, and the attention of each token to each other.",
        dtypes=("float32",),
        flops=values_flops,
        contents={"attention": Probabilities()},
    ),
    custom=Row(
        ("Custom",),
        # data + 1 through Python and back; autoperf's own processes register it.
        of_shape(lambda _spec, shape: inputs(data=[Draft(shape)], op_type="autoperf_add_one")),
        "Any shape: the operator behind it takes one.",
        inferable=False,
    ),
    callbacks=Row(
        tuple(CALLBACK_ARGUMENTS),
        of_shape(
            lambda spec, shape: inputs(data=[Draft(shape)], info=f"autoperf_add_one.{CALLBACK_ARGUMENTS[spec.name]}")
        ),
        "Any shape; only float32.",
        inferable=False,
    ),
    cross_device_copy=Row(
        ("_CrossDeviceCopy",),
        of_shape(lambda _spec, shape: inputs(data=Draft(shape)).by_the_executor().inference()),
        "Any shape.",
    ),
)
