"""Products of matrices: dot, batch_dot, matmul."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import Shape
from autoperf.core.work import stored_elements
from autoperf.rules.arithmetic import each_output, of_product
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import sized
from autoperf.strategies import broadcast_pairs, extents, factorings, shapes

gemm_rule = partial(rule, category="gemm")


@st.composite
def contractions(draw: st.DrawFn, elements: int) -> tuple[int, int, int]:
    """(m, k, n) of a product (m, k) x (k, n), all three matrices within the budget: near square, or one extent long."""
    side = math.isqrt(elements)
    if draw(st.booleans()):
        return draw(extents(1, side)), draw(extents(1, side)), draw(extents(1, side))
    short = min(16, side)
    sizes = [draw(extents(1, short)), draw(extents(1, short))]
    sizes.insert(draw(st.integers(0, 2)), draw(extents(1, elements // short)))
    return sizes[0], sizes[1], sizes[2]


@st.composite
def split(draw: st.DrawFn, extent: int, rank: int) -> Shape:
    """`extent` as `rank` dimensions; of rank 0 only one element is left."""
    return draw(factorings(extent, rank)) if rank else ()


def product(m: int, k: int, n: int, *, left: str = "lhs", right: str = "rhs", **modes: Value) -> Inputs:
    """(m, k) x (k, n), or the transposed of either where the modes say so."""
    lhs = (k, m) if modes.get("transpose_a") else (m, k)
    rhs = (n, k) if modes.get("transpose_b") else (k, n)
    return inputs(**{left: Draft(lhs), right: Draft(rhs)}, **modes)


SIZES: Mapping[str, tuple[int, int, int]] = {
    "small": (32, 32, 32),
    "common": (256, 256, 256),
    "large": (512, 512, 512),
    "skewed": (10_000, 10, 10),
    "skewed_inner": (10, 10_000, 10),
    "skewed_outer": (512, 1, 512),
    "vector": (1024, 1024, 1),
}
SPARSE = tensor(1024, 1024, storage="csr", density=0.05)


def dot_flops(case: Case) -> float:
    """2 m k n; of a sparse matrix, only the stored elements count."""
    shape = case.shape("lhs")
    inner = shape[0] if case.flag("transpose_a") else shape[-1]
    sides = stored_elements(case.tensor("lhs")) * stored_elements(case.tensor("rhs"))
    return 2.0 * sides / max(1, inner)


@gemm_rule(
    "dot",
    flops=dot_flops,
    canonical=sized(
        lambda _spec, sizes: product(*sizes),
        SIZES,
        {
            "transpose_a": product(256, 256, 256, transpose_a=True),
            "transpose_b": product(256, 256, 256, transpose_b=True),
            "csr": inputs(lhs=SPARSE, rhs=tensor(1024, 64)),
            "csr_transpose_a": inputs(lhs=SPARSE, rhs=tensor(1024, 64), transpose_a=True, forward_stype="default"),
        },
    ),
    backward=of_product(dot_flops, "lhs", "rhs"),
)
def dot(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The last axis of one tensor with the first of the other, or the opposite ends of a transposed one; or CSR.

    Two vectors can't be transposed.
    """
    m, k, n = draw(contractions(spec.elements))
    if draw(st.sampled_from((False, False, False, True))):
        return draw(sparse_dot(m, k, n))
    lead, trail = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    before, after = draw(split(m, lead)), draw(split(n, trail))
    transpose_a, transpose_b = (draw(st.booleans()), draw(st.booleans())) if lead or trail else (False, False)
    return inputs(
        lhs=Draft((k, *before) if transpose_a else (*before, k)),
        rhs=Draft((*after, k) if transpose_b else (k, *after)),
        transpose_a=transpose_a,
        transpose_b=transpose_b,
    )


@st.composite
def sparse_dot(draw: st.DrawFn, m: int, k: int, n: int) -> Inputs:
    """CSR, or its transpose, times a dense matrix; the result is dense."""
    transpose_a = draw(st.booleans())
    density = draw(st.sampled_from((0.01, 0.1, 0.5)))
    lhs = Draft((k, m) if transpose_a else (m, k), storage="csr", density=density)
    return inputs(lhs=lhs, rhs=Draft((k, n)), transpose_a=transpose_a, forward_stype="default")


def batch_dot_flops(case: Case) -> float:
    """2 m k n for each matrix of the batch."""
    return each_output(case, case.shape("lhs")[-2 if case.flag("transpose_a") else -1])


@gemm_rule(
    *("batch_dot", "_npx_batch_dot"),
    flops=batch_dot_flops,
    canonical={
        "small": inputs(lhs=tensor(4, 16, 16), rhs=tensor(4, 16, 16)),
        "common": inputs(lhs=tensor(16, 64, 64), rhs=tensor(16, 64, 64)),
        "large": inputs(lhs=tensor(32, 128, 128), rhs=tensor(32, 128, 128)),
        "skewed": inputs(lhs=tensor(10_000, 4, 4), rhs=tensor(10_000, 4, 4)),
        "skewed_outer": inputs(lhs=tensor(16, 128, 1), rhs=tensor(16, 1, 128)),
        "attention": inputs(lhs=tensor(12, 128, 64), rhs=tensor(12, 128, 64), transpose_b=True),
    },
    backward=of_product(batch_dot_flops, "lhs", "rhs"),
)
def batch_dot(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(*batch, m, k) x (*batch, k, n): one product for each matrix of the batch, each side transposed or not."""
    batch = draw(shapes(1, 2, min(64, spec.elements)))
    m, k, n = draw(contractions(spec.elements // math.prod(batch)))
    transpose_a, transpose_b = draw(st.booleans()), draw(st.booleans())
    return inputs(
        lhs=Draft((*batch, *((k, m) if transpose_a else (m, k)))),
        rhs=Draft((*batch, *((n, k) if transpose_b else (k, n)))),
        transpose_a=transpose_a,
        transpose_b=transpose_b,
    )


NUMPY_PRODUCT = {profile: product(*sizes, left="a", right="b") for profile, sizes in SIZES.items()}


def last_axis_flops(case: Case) -> float:
    """2 n for each element of the result, n the length of the last axis of `a`; 1 where an operand is a number."""
    a, b = case.shape("a"), case.shape("b")
    return each_output(case, a[-1]) if a and b else float(case.outputs[0].elements)


@gemm_rule(
    *("_np_dot", "_npi_dot"),
    flops=last_axis_flops,
    canonical={
        **NUMPY_PRODUCT,
        "inner": inputs(a=tensor(65_536), b=tensor(65_536)),
        "stacked": inputs(a=tensor(16, 64, 64), b=tensor(64, 64)),
    },
    backward=of_product(last_axis_flops, "a", "b"),
)
def numpy_dot(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The last axis of one tensor with the last but one of the other, which may be its only one."""
    m, k, n = draw(contractions(spec.elements))
    before = draw(split(m, draw(st.integers(0, 2))))
    if draw(st.booleans()):
        return inputs(a=Draft((*before, k)), b=Draft((k,)))
    after = draw(split(n, draw(st.integers(1, 2))))
    return inputs(a=Draft((*before, k)), b=Draft((*after[:-1], k, after[-1])))


@gemm_rule(
    "_npi_matmul",
    flops=last_axis_flops,
    canonical={
        **NUMPY_PRODUCT,
        "inner": inputs(a=tensor(65_536), b=tensor(65_536)),
        "batched": inputs(a=tensor(16, 64, 64), b=tensor(16, 64, 64)),
        "broadcast": inputs(a=tensor(16, 64, 64), b=tensor(64, 64)),
    },
    backward=of_product(last_axis_flops, "a", "b"),
)
def matmul(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Stacks of matrices whose leading axes broadcast, or a vector on either side, or on both."""
    kind = draw(st.sampled_from(("stacks", "stacks", "matrices", "vector", "row", "inner")))
    if kind == "inner":
        length = draw(extents(1, spec.elements))
        return inputs(a=Draft((length,)), b=Draft((length,)))
    stack = min(64, spec.elements)
    left, right = draw(broadcast_pairs(2, stack)) if kind != "matrices" else ((), ())
    m, k, n = draw(contractions(spec.elements // stack))
    if kind == "vector":
        return inputs(a=Draft((*left, m, k)), b=Draft((k,)))
    if kind == "row":
        return inputs(a=Draft((k,)), b=Draft((*right, k, n)))
    shorter = right[1:] if len(right) > 1 and draw(st.booleans()) else right
    return inputs(a=Draft((*left, m, k)), b=Draft((*shorter, k, n)))
