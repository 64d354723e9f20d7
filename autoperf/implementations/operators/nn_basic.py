"""Fully connected layers, embeddings, dropout."""

from __future__ import annotations

from typing import Any

from autoperf.implementations.implementation import WHOLE, line

_INDEX = {"data": "in_range(xp, whole(data), input_dim, 'clip')"}
_FLAT = {True: "data.reshape(data.shape[0], -1)", False: "data"}
_BIAS = {True: "no_bias", False: "not no_bias"}


def _connected(flatten: bool, no_bias: bool) -> dict[str, Any]:
    bias = "" if no_bias else ", bias"
    return {
        "torch": f"F.linear({_FLAT[flatten].replace('reshape(data.shape[0], -1)', 'flatten(1)')}, weight{bias})",
        "both": f"{_FLAT[flatten]} @ weight.T" + ("" if no_bias else " + bias"),
        "when": f"bool(flatten) == {flatten} and bool(no_bias) == {no_bias}",
    }


LINES = (
    *(
        line("FullyConnected", **_connected(*flags))
        for flags in ((True, True), (True, False), (False, True), (False, False))
    ),
    line(
        "Embedding _contrib_SparseEmbedding",
        torch="F.embedding(data, weight)",
        both="np.take(weight, data, 0)",
        prepare=_INDEX,
        note=WHOLE,
    ),
    line(
        "Dropout",
        torch="F.dropout(data, p)",
        numpy="data * ((random.random(data.shape, 'float32') >= p) / (1 - p)).astype(data.dtype)",
        jax="jnp.where(jax.random.bernoulli(key, 1 - p, data.shape), data / (1 - p), 0)",
        when="not axes and (training or mode == 'always')",
        prepare={"random": "generator()", "key": "generator()"},
        random=True,
        undifferentiated="torch jax",
    ),
    line("Dropout", torch="data.clone()", both="np.copy(data)", when="not training and mode != 'always'"),
)
