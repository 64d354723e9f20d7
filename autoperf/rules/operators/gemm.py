"""Products of matrices and tensors: dot, batch_dot, matmul, tensordot, einsum, khatri_rao, kron."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.errors import RuleError
from autoperf.core.operator import Value
from autoperf.core.tensors import Shape
from autoperf.core.work import Work, stored_elements
from autoperf.rules.arithmetic import Derivative, Gradients, each_output, of_product, other_operands
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import sized, unpacked
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
    return 2.0 * stored_elements(case.tensor("lhs")) * stored_elements(case.tensor("rhs")) / max(1, inner)


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

    Two vectors can't be transposed. CSR, or its transpose, is multiplied by a dense matrix; the result is dense.
    """
    m, k, n = draw(contractions(spec.elements))
    if draw(st.sampled_from((False, False, False, True))):
        transpose_a, density = draw(st.booleans()), draw(st.sampled_from((0.01, 0.1, 0.5)))
        lhs = Draft((k, m) if transpose_a else (m, k), storage="csr", density=density)
        return inputs(lhs=lhs, rhs=Draft((k, n)), transpose_a=transpose_a, forward_stype="default")
    lead, trail = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    before, after = draw(split(m, lead)), draw(split(n, trail))
    transpose_a, transpose_b = (draw(st.booleans()), draw(st.booleans())) if lead or trail else (False, False)
    return inputs(
        lhs=Draft((k, *before) if transpose_a else (*before, k)),
        rhs=Draft((*after, k) if transpose_b else (k, *after)),
        transpose_a=transpose_a,
        transpose_b=transpose_b,
    )


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


EINSUM_PRODUCTS = 2**20

TENSORS = {
    "small": ((8, 8, 8), (8, 8, 8)),
    "common": ((64, 32, 32), (32, 32, 64)),
    "large": ((128, 32, 64), (32, 64, 128)),
    "skewed": ((10_000, 4, 4), (4, 4, 10)),
    "skewed_inner": ((4, 100, 100), (100, 100, 4)),
}


def tensordot_flops(case: Case) -> float:
    """2 m k n, where k is the product of the summed axes: the named axes of `a`, or a number of its last axes."""
    shape = case.shape("a")
    count = case.number("axes", 2)
    named = case.numbers("a_axes_summed") if "a_axes_summed" in case.params else tuple(range(-count, 0))
    return each_output(case, math.prod(shape[axis] for axis in named))


@gemm_rule(
    "_npi_tensordot",
    flops=tensordot_flops,
    canonical=sized(
        unpacked(lambda _spec, a, b: inputs(a=Draft(a), b=Draft(b), a_axes_summed=(1, 2), b_axes_summed=(0, 1))),
        TENSORS,
    ),
    backward=of_product(tensordot_flops, "a", "b"),
)
def tensordot(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One or two axes of each tensor, in any position, summed in pairs; summing none kills the process."""
    m, k, n = draw(contractions(spec.elements))
    summed = draw(split(k, draw(st.integers(1, 2))))
    a, a_axes = draw(scattered(draw(split(m, draw(st.integers(0, 2)))), summed))
    b, b_axes = draw(scattered(draw(split(n, draw(st.integers(0, 2)))), summed))
    return inputs(a=Draft(a), b=Draft(b), a_axes_summed=a_axes, b_axes_summed=b_axes)


@st.composite
def scattered(draw: st.DrawFn, kept: Shape, summed: Shape) -> tuple[Shape, tuple[int, ...]]:
    """The axes of both kinds in any order, and the positions of the summed axes."""
    together = (*kept, *summed)
    order = draw(st.permutations(range(len(together))))
    return tuple(together[index] for index in order), tuple(order.index(len(kept) + j) for j in range(len(summed)))


@gemm_rule(
    "_npi_tensordot_int_axes",
    flops=tensordot_flops,
    canonical=sized(unpacked(lambda _spec, a, b: inputs(a=Draft(a), b=Draft(b), axes=2)), TENSORS),
    backward=of_product(tensordot_flops, "a", "b"),
)
def tensordot_int_axes(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The last axes of one tensor with the first of the other, one or two; summing none kills the process."""
    m, k, n = draw(contractions(spec.elements))
    summed = draw(split(k, draw(st.integers(1, 2))))
    before, after = draw(split(m, draw(st.integers(0, 2)))), draw(split(n, draw(st.integers(0, 2))))
    return inputs(a=Draft((*before, *summed)), b=Draft((*summed, *after)), axes=len(summed))


def einsum_of(subscripts: str, extent: Mapping[str, int], *, optimize: bool = False) -> Inputs:
    """The operands of `subscripts`, each label with its extent; an ellipsis is the label `.`."""
    terms = subscripts.split("->", maxsplit=1)[0].replace("...", ".").split(",")
    operands = [Draft(tuple(extent[label] for label in term)) for term in terms]
    return inputs(data=operands, num_args=len(operands), subscripts=subscripts, optimize=int(optimize))


SUBSCRIPTS = (
    *("ij->ji", "ijk->kij", "ii->i", "ii->", "ij->", "ij->i", "ij->j", "...i->..."),
    *("i,i->", "i,j->ij", "ij,j->i", "ij,ij->ij", "ij,ij->", "ij,ji->"),
    *("ij,jk->ik", "ij,kj->ik", "ji,jk->ik", "bij,bjk->bik", "bhid,bhjd->bhij", "...ij,...jk->...ik"),
    *("ijk,k->ij", "ij,jk,kl->il", "i,ij,j->"),
)

EINSUMS = {
    "small": einsum_of("ij,jk->ik", {"i": 32, "j": 32, "k": 32}),
    "common": einsum_of("ij,jk->ik", {"i": 64, "j": 64, "k": 64}),
    "large": einsum_of("ij,jk->ik", {"i": 128, "j": 128, "k": 128}),
    "skewed": einsum_of("ij,jk->ik", {"i": 10_000, "j": 4, "k": 4}),
    "optimized": einsum_of("ij,jk->ik", {"i": 128, "j": 128, "k": 128}, optimize=True),
    "attention": einsum_of("bhid,bhjd->bhij", {"b": 2, "h": 4, "i": 32, "j": 32, "d": 64}),
    "transpose": einsum_of("ij->ji", {"i": 512, "j": 512}),
    "trace": einsum_of("ii->", {"i": 512}),
    "outer": einsum_of("i,j->ij", {"i": 512, "j": 512}),
    "chain": einsum_of("ij,jk,kl->il", {"i": 64, "j": 64, "k": 64, "l": 64}, optimize=True),
}


def einsum_flops(case: Case) -> float:
    """One nest of loops over all labels: a product fewer than there are operands, and a sum if a label is summed.

    Operations that `optimize` may save by multiplying in pairs aren't subtracted.
    """
    operands = [item.tensor.shape for item in case.arguments]
    extent: dict[str, int] = {}
    terms = str(case.params["subscripts"]).replace(" ", "").split("->", maxsplit=1)[0].split(",")
    for term, shape in zip(terms, operands, strict=True):
        before, _, after = term.partition("...")
        folded = len(shape) - len(before) - len(after)
        # The axes of an ellipsis are counted from its end, where all operands have them.
        labels = (*before, *(f"...{folded - index}" for index in range(folded)), *after)
        for label, size in zip(labels, shape, strict=True):
            extent[label] = max(size, extent.get(label, 1))
    steps = math.prod(extent.values())
    return float(steps * max(1, len(operands) - 1 + (case.outputs[0].elements < steps)))


OF_TWO = Derivative(other_operands, lambda case, gradients: len(gradients) * einsum_flops(case))
MAX_OPERANDS = 2


def einsum_backward(case: Case, gradients: Gradients) -> Work:
    """Each gradient is the product of the other operand and the head gradient, with equally many operations.

    Raises RuleError for more operands: their number of operations depends on the order of the products.
    """
    if len(case.arguments) > MAX_OPERANDS:
        raise RuleError(f"the order of the products of more than {MAX_OPERANDS} operands isn't known")
    return OF_TWO(case, gradients)


@gemm_rule(
    "_npi_einsum",
    # The methods by which MXNet looks for a good order of the products reject bool.
    canonical=lambda spec: {
        profile: call for profile, call in EINSUMS.items() if spec.dtype != "bool" or not call.params["optimize"]
    },
    flops=einsum_flops,
    backward=einsum_backward,
)
def einsum(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Transposes, traces, sums, products and chains; the loops over all labels stay below a million steps."""
    subscripts = draw(st.sampled_from(SUBSCRIPTS))
    labels = sorted(set(subscripts.replace("...", ".")) - set(",->"))
    left = min(EINSUM_PRODUCTS, spec.elements)
    extent: dict[str, int] = {}
    repeated = "ii" in subscripts
    for position, label in enumerate(draw(st.permutations(labels))):
        share = max(1, round(left ** (1 / (len(labels) - position + repeated))))
        extent[label] = draw(extents(1, share))
        left = max(1, left // extent[label])
    return einsum_of(subscripts, extent, optimize=spec.dtype != "bool" and draw(st.booleans()))


def columnwise(*rows: int, columns: int) -> Inputs:
    """Matrices with these numbers of rows and one number of columns."""
    return inputs(args=[tensor(extent, columns) for extent in rows])


@gemm_rule(
    "khatri_rao",
    # A multiplication fewer than there are matrices, for each element of the result.
    flops=lambda case: float(case.outputs[0].elements * max(1, len(case.arguments) - 1)),
    canonical={
        "small": columnwise(4, 8, columns=32),
        "common": columnwise(32, 32, columns=64),
        "large": columnwise(64, 64, columns=128),
        "skewed": columnwise(100, 100, columns=1),
        "triple": columnwise(16, 16, 16, columns=64),
    },
)
def khatri_rao(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One to four matrices of one number of columns; the result has the product of their rows."""
    columns = draw(extents(1, min(256, spec.elements)))
    left = spec.elements // columns
    rows = []
    for remaining in range(draw(st.integers(1, 4)), 0, -1):
        rows.append(draw(extents(1, max(1, round(left ** (1 / remaining))))))
        left //= rows[-1]
    return columnwise(*rows, columns=columns)


@gemm_rule(
    "_npi_kron",
    canonical={
        "small": inputs(a=tensor(4, 8), b=tensor(8, 4)),
        "common": inputs(a=tensor(16, 16), b=tensor(16, 16)),
        "large": inputs(a=tensor(32, 32), b=tensor(32, 32)),
        "skewed": inputs(a=tensor(10_000, 1), b=tensor(1, 10)),
    },
)
def kron(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two tensors of rank 1 to 3; the result has the product of their elements."""
    share = math.isqrt(spec.elements)
    return inputs(a=Draft(draw(shapes(1, 3, share))), b=Draft(draw(shapes(1, 3, share))))
