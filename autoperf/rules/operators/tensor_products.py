"""Products of tensors: tensordot, einsum, khatri_rao, kron."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.errors import RuleError
from autoperf.core.tensors import Shape
from autoperf.core.work import Work
from autoperf.rules.arithmetic import Gradients, each_output, of_operands_product, of_product
from autoperf.rules.operators.gemm import contractions, split
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import sized, unpacked
from autoperf.strategies import extents, shapes

gemm_rule = partial(rule, category="gemm")

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


OF_TWO = of_operands_product(einsum_flops)
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
