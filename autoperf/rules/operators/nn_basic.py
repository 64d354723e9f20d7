"""The plain layers: fully connected, embedding, dropout."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.errors import RuleError
from autoperf.core.tensors import Integers, Shape
from autoperf.core.work import Work, no_arithmetic
from autoperf.rules.arithmetic import elements_made, elements_of, flag, has, shape_of
from autoperf.rules.derivatives import LINEAR, Derivative, Gradients, arrays, of_product
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.strategies import axis_sets, extents, shapes

DENSE = {
    "small": inputs(data=tensor(32, 32), num_hidden=32),
    "common": inputs(data=tensor(64, 512), num_hidden=256),
    "large": inputs(data=tensor(256, 1024), num_hidden=1024),
    "skewed": inputs(data=tensor(1, 10_000), num_hidden=100, no_bias=True),
    "tall": inputs(data=tensor(10_000, 10), num_hidden=10),
    "unflattened": inputs(data=tensor(16, 64, 128), num_hidden=256, flatten=False),
}
DROPOUT = {
    "small": inputs(data=tensor(32, 32), p=0.5),
    "common": inputs(data=tensor(256, 256), p=0.5),
    "large": inputs(data=tensor(1024, 1024), p=0.5),
    "skewed": inputs(data=tensor(10_000, 1), p=0.5),
    "shared": inputs(data=tensor(64, 64, 64), p=0.2, axes=(1,)),
    "inference": inputs(data=tensor(256, 256), p=0.5).inference(),
}


def _embedding(spec: InputSpec) -> Mapping[str, Inputs]:
    """Looking up tokens in a table of rows * width, which is in the specification's dtype."""
    plans: dict[str, tuple[int, int, Shape]] = {
        "small": (100, 16, (8, 8)),
        "common": (1000, 64, (32, 32)),
        "large": (10_000, 128, (64, 128)),
        "skewed": (10, 4, (10_000, 10)),
        "vocabulary": (50_000, 16, (32, 32)),
    }
    return {
        profile: inputs(
            data=tensor(*shape, dtype="int32", content=Integers(0, rows)),
            input_dim=rows,
            output_dim=width,
            dtype=spec.dtype,
        )
        for profile, (rows, width, shape) in plans.items()
    }


def dense_products(case: Case) -> float:
    """2 elements of the data for each hidden unit, which are the weight's rows."""
    return 2.0 * elements_of(case, "data") * shape_of(case, "weight")[0]


def dense_flops(case: Case) -> float:
    """Those of the products, and one addition for the bias."""
    return dense_products(case) + (elements_made(case) if has(case, "bias") else 0)


@rule(
    "FullyConnected",
    "_npx_fully_connected",
    category="nn_basic",
    canonical=DENSE,
    flops=dense_flops,
    backward=of_product(dense_products, "data", "weight", added="bias"),
)
def fully_connected(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(batch, *rest) by the flattened rest, or by the last axis alone; the weight stays within the budget."""
    shape = draw(shapes(2, 4, spec.elements))
    flatten = draw(st.booleans())
    inner = math.prod(shape[1:]) if flatten else shape[-1]
    outer = math.prod(shape) // inner
    hidden = draw(extents(1, max(1, min(1024, spec.elements // inner, spec.elements // outer))))
    return inputs(data=Draft(shape), num_hidden=hidden, flatten=flatten, no_bias=draw(st.booleans()))


@st.composite
def _tables(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Indices on [0, input_dim), whole numbers because they have no gradient, and a table of input_dim * output_dim."""
    width = draw(extents(1, max(1, min(512, spec.elements))))
    rows = draw(extents(1, max(1, spec.elements // width)))
    shape = draw(shapes(1, 3, max(1, spec.elements // width)))
    indices = Draft(shape, dtype=draw(st.sampled_from(("int32", "int64"))), content=Integers(0, rows))
    return inputs(data=indices, input_dim=rows, output_dim=width, dtype=spec.dtype)


def embedding_backward(case: Case, gradients: Gradients) -> Work:
    """The whole table's gradient, to which rows are added. Raises RuleError if it has those rows alone."""
    if flag(case, "sparse_grad"):
        raise RuleError("how many rows a sparse gradient has depends on the indices")
    return Derivative(arrays("data"))(case, gradients)


@rule(
    "Embedding",
    "_npx_embedding",
    category="nn_basic",
    canonical=_embedding,
    flops=no_arithmetic,
    backward=embedding_backward,
)
def embedding(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Rows of a table by their indices; the table's gradient is dense or row-sparse."""
    call = draw(_tables(spec))
    return replace(call, params={**call.params, "sparse_grad": draw(st.booleans())})


@rule("_contrib_SparseEmbedding", category="nn_basic", canonical=_embedding, flops=no_arithmetic)
def sparse_embedding(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Rows of a table by their indices; it documents `sparse_grad` and does not take it."""
    return draw(_tables(spec))


@rule("Dropout", "_npx_dropout", category="nn_basic", canonical=DROPOUT, backward=LINEAR)
def dropout(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor; each element, or each slice along `axes` as a whole, is zeroed with probability p below 1."""
    shape = draw(shapes(1, 4, spec.elements))
    axes = draw(axis_sets(len(shape), min_axes=0))
    mode = draw(st.sampled_from(("training", "always")))
    chance = draw(st.sampled_from((0.0, 0.1, 0.25, 0.5, 0.9)))
    return inputs(data=Draft(shape), p=chance, mode=mode, **({"axes": axes} if axes else {}))
