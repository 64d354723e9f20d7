"""The transformer's products, only in float32: of interleaved projections, and within a sliding window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Integers, Probabilities, Shape
from autoperf.core.work import Flops
from autoperf.rules.arithmetic import Derivative, Gradients, each_output, of_product
from autoperf.rules.contents import up_to
from autoperf.rules.rule import Draft, inputs
from autoperf.rules.table import Row, SampleInputs, by_profile, of_size, table
from autoperf.strategies import extents


@dataclass(frozen=True)
class Heads:
    """The sizes of one attention over (length, batch, heads * parts * width); `queries` and `keys` are lengths."""

    queries: int
    keys: int
    batch: int
    heads: int
    width: int

    def own_projections(self) -> Draft:
        """Interleaved queries, keys and values of one sequence."""
        return Draft((self.queries, self.batch, self.heads * 3 * self.width))

    def projected_queries(self) -> Draft:
        """Queries of one sequence."""
        return Draft((self.queries, self.batch, self.heads * self.width))

    def other_projections(self) -> Draft:
        """Interleaved keys and values of another sequence."""
        return Draft((self.keys, self.batch, self.heads * 2 * self.width))

    def weights(self) -> Draft:
        """The attention weight of each query and key: (batch * heads, queries, keys)."""
        return Draft((self.batch * self.heads, self.queries, self.keys))


SIZES = by_profile(
    Heads(8, 8, 2, 2, 16), Heads(32, 32, 4, 4, 32), Heads(128, 128, 4, 8, 64), Heads(1000, 1000, 1, 1, 8)
)


@st.composite
def _attentions(draw: st.DrawFn, elements: int, self_attention: bool) -> Heads:
    """Sizes whose projections and weights stay within the budget; `self_attention`: the queries have their own keys."""
    heads = draw(st.integers(1, 8))
    batch = draw(extents(1, max(1, min(8, elements // (8 * heads)))))
    most = max(1, int((elements // (batch * heads)) ** 0.5))
    queries = draw(extents(1, most))
    keys = queries if self_attention else draw(extents(1, most))
    width = draw(extents(1, max(1, min(128, elements // (3 * batch * heads * max(queries, keys))))))
    return Heads(queries, keys, batch, heads, width)


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


@dataclass(frozen=True)
class Sliding:
    """The sizes of an attention in which each token attends to `window` tokens before it and (symmetric) after it."""

    batch: int
    length: int
    heads: int
    width: int
    window: int
    symmetric: bool = True

    def tokens(self) -> Draft:
        """Queries, keys or values of each token: (batch, length, heads, width)."""
        return Draft((self.batch, self.length, self.heads, self.width))

    def scores(self) -> Draft:
        """The attention weight of each token for each place of its window."""
        seen = self.window * (2 if self.symmetric else 1) + 1
        return Draft((self.batch, self.length, self.heads, seen))

    def dilation(self) -> Draft:
        """The dilation of the window, for each head."""
        return Draft((self.heads,), "int32")

    def lengths(self) -> Draft:
        """The valid length of each sequence."""
        return Draft((self.batch,), "int32")

    @property
    def params(self) -> dict[str, Value]:
        """The window as MXNet's parameters."""
        return {"w": self.window, "symmetric": self.symmetric}


WINDOWS = {
    "small": Sliding(1, 16, 2, 16, 4),
    "common": Sliding(2, 128, 4, 32, 8),
    "large": Sliding(1, 512, 2, 32, 16),
    "skewed": Sliding(1, 2000, 1, 8, 8),
    "causal": Sliding(2, 128, 4, 32, 8, symmetric=False),
}


@st.composite
def _windows(draw: st.DrawFn, elements: int) -> Sliding:
    """Sizes for which tokens times the larger of width and window stay within the budget."""
    rest: Shape = (draw(st.integers(1, 4)), draw(st.integers(1, 4)))
    tokens = max(1, min(elements, 2**16) // (rest[0] * rest[1]))
    length = draw(extents(1, min(512, tokens)))
    width = draw(extents(1, max(1, min(64, tokens // length))))
    window = draw(extents(1, max(1, min(32, length // 2, tokens // (3 * length)))))
    return Sliding(rest[0], length, rest[1], width, window, draw(st.booleans()))


def window_scores_flops(case: Case) -> float:
    """2 width of a head for each token and each place of its window."""
    return each_output(case, case.shape("query")[-1])


def window_context_flops(case: Case) -> float:
    """2 places of a window for each element of the result."""
    return each_output(case, case.shape("score")[-1])


def _attending(*, self_attention: bool, **tensors: Callable[[Heads], Draft]) -> SampleInputs:
    return of_size(
        lambda _spec, sizes: inputs(**{name: made(sizes) for name, made in tensors.items()}, heads=sizes.heads),
        SIZES,
        lambda spec: _attentions(spec.elements, self_attention=self_attention),
    )


def _within_window(**tensors: Callable[[Sliding], Draft]) -> SampleInputs:
    return of_size(
        lambda _spec, sizes: inputs(**{name: made(sizes) for name, made in tensors.items()}, **sizes.params),
        WINDOWS,
        lambda spec: _windows(spec.elements),
    )


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
        _attending(self_attention=True, queries_keys_values=Heads.own_projections),
        "Interleaved queries, keys and values of one sequence.",
        flops=scores_flops,
        backward=OF_SELF_SCORES,
    ),
    self_values=Row(
        ("_contrib_interleaved_matmul_selfatt_valatt",),
        _attending(self_attention=True, queries_keys_values=Heads.own_projections, attention=Heads.weights),
        "Interleaved queries, keys and values of one sequence, and the attention of each token to each other.",
        contents=ATTENDED,
        flops=values_flops,
        backward=_of_projection("queries_keys_values", 3, "attention", values_flops),
        dims={"queries_keys_values": "s n 3*heads*d", "attention": "heads*n s s"},
    ),
    cross_scores=Row(
        ("_contrib_interleaved_matmul_encdec_qk",),
        _attending(self_attention=False, queries=Heads.projected_queries, keys_values=Heads.other_projections),
        "Queries of one sequence, and interleaved keys and values of another.",
        flops=scores_flops,
        backward=_of_projection("keys_values", 2, "queries", scores_flops),
        dims={"queries": "_ n heads*d", "keys_values": "_ n 2*heads*d"},
    ),
    cross_values=Row(
        ("_contrib_interleaved_matmul_encdec_valatt",),
        _attending(self_attention=False, keys_values=Heads.other_projections, attention=Heads.weights),
        "Interleaved keys and values of a sequence, and the attention of another sequence's tokens to its tokens.",
        contents=ATTENDED,
        flops=values_flops,
        backward=_of_projection("keys_values", 2, "attention", values_flops),
        dims={"keys_values": "t n 2*heads*d", "attention": "heads*n _ t"},
    ),
    window_scores=Row(
        ("_contrib_sldwin_atten_score",),
        _within_window(query=Sliding.tokens, key=Sliding.tokens, dilation=Sliding.dilation),
        "Queries and keys of a sequence, and how far apart the places of each head's window are.",
        flops=window_scores_flops,
        backward=of_product(window_scores_flops, "query", "key"),
        contents=within_window,
        dims={"query": "b s h d", "key": "b s h d", "dilation": "h"},
    ),
    window_mask=Row(
        ("_contrib_sldwin_atten_mask_like",),
        _within_window(score=Sliding.scores, dilation=Sliding.dilation, valid_length=Sliding.lengths),
        "Scores, and a length on [1, tokens] for each sequence.",
        unread=("score",),
        contents=within_window,
        dims={"score": "b _ h _", "dilation": "h", "valid_length": "b"},
    ),
    window_context=Row(
        ("_contrib_sldwin_atten_context",),
        _within_window(score=Sliding.scores, value=Sliding.tokens, dilation=Sliding.dilation),
        "Scores of each place of the window, and the values.",
        flops=window_context_flops,
        backward=of_product(window_context_flops, "score", "value"),
        contents=within_window,
        dims={"score": "b s h _", "value": "b s h _", "dilation": "h"},
    ),
)
