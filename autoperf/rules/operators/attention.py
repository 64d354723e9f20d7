"""The transformer's products, only in float32: of interleaved projections, and within a sliding window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.tensors import AnyContent, Integers, Probabilities
from autoperf.core.work import Flops
from autoperf.rules.arithmetic import Derivative, Gradients, each_output, of_product
from autoperf.rules.rule import Draft, Inputs, InputSpec, tensor
from autoperf.rules.table import Row, SampleInputs, by_profile, of_size, table, up_to
from autoperf.strategies import extents

Attention: TypeAlias = tuple[int, int, int, int, int]
"""The lengths of queries and keys, the batch, the heads, and the width of a head."""
SIZES: Mapping[str, Attention] = by_profile(
    (8, 8, 2, 2, 16), (32, 32, 4, 4, 32), (128, 128, 4, 8, 64), (1000, 1000, 1, 1, 8)
)


@st.composite
def _attentions(draw: st.DrawFn, elements: int, self_attention: bool) -> Attention:
    """Sizes whose projections and weights stay within the budget; `self_attention`: the queries have their own keys."""
    heads = draw(st.integers(1, 8))
    batch = draw(extents(1, max(1, min(8, elements // (8 * heads)))))
    most = max(1, int((elements // (batch * heads)) ** 0.5))
    queries = draw(extents(1, most))
    keys = queries if self_attention else draw(extents(1, most))
    width = draw(extents(1, max(1, min(128, elements // (3 * batch * heads * max(queries, keys))))))
    return queries, keys, batch, heads, width


def scores_flops(case: Case) -> float:
    """2 width of a head for each pair of a query and a key."""
    self_attention = case.inputs[0].name == "queries_keys_values"
    return each_output(case, case.inputs[0].tensor.shape[-1] // (case.number("heads") * (3 if self_attention else 1)))


def values_flops(case: Case) -> float:
    """2 keys for each element of the result."""
    return each_output(case, case.shape("attention")[-1])


def _of_projection(projections: str, parts: int, other: str, flops: Flops) -> Derivative:
    """The derivative of the product of one of `parts` interleaved projections with another operand."""

    def reads(case: Case, gradients: Gradients) -> float:
        needed = {projections: case.tensor(other).nbytes, other: case.tensor(projections).nbytes / parts}
        return float(sum(needed[name] for name in gradients))

    return Derivative(reads, lambda case, gradients: len(gradients) * flops(case))


OF_SELF_SCORES = Derivative(
    lambda case, _gradients: case.tensor("queries_keys_values").nbytes * 2 / 3,
    lambda case, _gradients: 2 * scores_flops(case),
)
"""The backward pass of a product within one array of three interleaved projections: it takes two products."""

Sliding: TypeAlias = tuple[int, int, int, int, int, bool]
"""The batch, tokens, heads, the width of a head, and the window: so many tokens before and (True) after each."""
WINDOWS: Mapping[str, Sliding] = {
    "small": (1, 16, 2, 16, 4, True),
    "common": (2, 128, 4, 32, 8, True),
    "large": (1, 512, 2, 32, 16, True),
    "skewed": (1, 2000, 1, 8, 8, True),
    "causal": (2, 128, 4, 32, 8, False),
}


@st.composite
def _windows(draw: st.DrawFn, elements: int) -> Sliding:
    """Sizes for which tokens times the larger of width and window stay within the budget."""
    batch, heads = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    tokens = max(1, min(elements, 2**16) // (batch * heads))
    length = draw(extents(1, min(512, tokens)))
    width = draw(extents(1, max(1, min(64, tokens // length))))
    window = draw(extents(1, max(1, min(32, length // 2, tokens // (3 * length)))))
    return batch, length, heads, width, window, draw(st.booleans())


def window_scores_flops(case: Case) -> float:
    """2 width of a head for each token and each place of its window."""
    return each_output(case, case.shape("query")[-1])


def window_context_flops(case: Case) -> float:
    """2 places of a window for each element of the result."""
    return each_output(case, case.shape("score")[-1])


Tensors: TypeAlias = Callable[[int, int, int, int, int], Mapping[str, Draft]]


def _attending(tensors: Tensors, *, self_attention: bool = False) -> SampleInputs:
    def build(_spec: InputSpec, sizes: Attention) -> Inputs:
        return Inputs(tensors(*sizes), {"heads": sizes[3]})

    return of_size(build, SIZES, lambda spec: _attentions(spec.elements, self_attention=self_attention))


def _within_window(tensors: Tensors) -> SampleInputs:
    """Calls with the tensors that these sizes make, with the number of places in the window as the last one."""

    def build(_spec: InputSpec, sizes: Sliding) -> Inputs:
        batch, length, heads, width, window, symmetric = sizes
        places = window * (2 if symmetric else 1) + 1
        return Inputs(tensors(batch, length, heads, width, places), {"w": window, "symmetric": symmetric})

    return of_size(build, WINDOWS, lambda spec: _windows(spec.elements))


whole = partial(tensor, dtype="int32")
ATTENDED = {"attention": Probabilities()}


def within_window(case: Case) -> Mapping[str, AnyContent]:
    """Scores that sum to one, dilations, and lengths of at least one."""
    return {
        "score": Probabilities(),
        "dilation": Integers(1, 4),
        **({"valid_length": up_to(case.shape("score")[1])} if case.has("score") else {}),
    }


RULES = table(
    __name__,
    "attention",
    self_scores=Row(
        ("_contrib_interleaved_matmul_selfatt_qk",),
        _attending(lambda q, _k, n, h, d: {"queries_keys_values": tensor(q, n, 3 * h * d)}, self_attention=True),
        "Interleaved queries, keys and values of one sequence.",
        flops=scores_flops,
        backward=OF_SELF_SCORES,
    ),
    self_values=Row(
        ("_contrib_interleaved_matmul_selfatt_valatt",),
        _attending(
            lambda q, k, n, h, d: {"queries_keys_values": tensor(q, n, 3 * h * d), "attention": tensor(n * h, q, k)},
            self_attention=True,
        ),
        "Interleaved queries, keys and values of one sequence, and the attention of each token to each other.",
        contents=ATTENDED,
        flops=values_flops,
        backward=_of_projection("queries_keys_values", 3, "attention", values_flops),
        dims={"queries_keys_values": "s n 3*heads*d", "attention": "heads*n s s"},
    ),
    cross_scores=Row(
        ("_contrib_interleaved_matmul_encdec_qk",),
        _attending(lambda q, k, n, h, d: {"queries": tensor(q, n, h * d), "keys_values": tensor(k, n, 2 * h * d)}),
        "Queries of one sequence, and interleaved keys and values of another.",
        flops=scores_flops,
        backward=_of_projection("keys_values", 2, "queries", scores_flops),
        dims={"queries": "_ n heads*d", "keys_values": "_ n 2*heads*d"},
    ),
    cross_values=Row(
        ("_contrib_interleaved_matmul_encdec_valatt",),
        _attending(lambda q, k, n, h, d: {"keys_values": tensor(k, n, 2 * h * d), "attention": tensor(n * h, q, k)}),
        "Interleaved keys and values of a sequence, and the attention of another sequence's tokens to its tokens.",
        contents=ATTENDED,
        flops=values_flops,
        backward=_of_projection("keys_values", 2, "attention", values_flops),
        dims={"keys_values": "t n 2*heads*d", "attention": "heads*n _ t"},
    ),
    window_scores=Row(
        ("_contrib_sldwin_atten_score",),
        _within_window(
            lambda b, s, h, d, _w: {"query": tensor(b, s, h, d), "key": tensor(b, s, h, d), "dilation": whole(h)}
        ),
        "Queries and keys of a sequence, and how far apart the places of each head's window are.",
        flops=window_scores_flops,
        backward=of_product(window_scores_flops, "query", "key"),
        contents=within_window,
        dims={"query": "b s h d", "key": "b s h d", "dilation": "h"},
    ),
    window_mask=Row(
        ("_contrib_sldwin_atten_mask_like",),
        _within_window(
            lambda b, s, h, _d, w: {"score": tensor(b, s, h, w), "dilation": whole(h), "valid_length": whole(b)}
        ),
        "Scores, and a length on [1, tokens] for each sequence.",
        unread=("score",),
        contents=within_window,
        dims={"score": "b _ h _", "dilation": "h", "valid_length": "b"},
    ),
    window_context=Row(
        ("_contrib_sldwin_atten_context",),
        _within_window(
            lambda b, s, h, d, w: {"score": tensor(b, s, h, w), "value": tensor(b, s, h, d), "dilation": whole(h)}
        ),
        "Scores of each place of the window, and the values.",
        flops=window_context_flops,
        backward=of_product(window_context_flops, "score", "value"),
        contents=within_window,
        dims={"score": "b s h _", "value": "b s h _", "dilation": "h"},
    ),
)
