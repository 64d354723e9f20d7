"""Sorting and searching."""

from __future__ import annotations

from typing import Any

from autoperf.implementations.implementation import line

_PLACES: dict[str, Any] = {"cast": True, "compared": "elements_at(data, result, axis)"}
_ORDER = "torch.argsort({}, dim={}, descending=not is_ascend, stable=True)"

LINES = (
    line("argmax", jax="jnp.argmax(data, axis, keepdims=keepdims)", cast=True),
    line("argmin", jax="jnp.argmin(data, axis, keepdims=keepdims)", cast=True),
    line("argmax_channel", torch="torch.argmax(data, 1)", both="np.argmax(data, 1)", cast=True),
    line("argsort", torch=_ORDER.format("data", "axis"), when="axis is not None", **_PLACES),
    line("argsort", torch=_ORDER.format("data.flatten()", "0"), when="axis is None", **_PLACES),
    line("argsort", both="np.argsort(data, axis)", when="is_ascend", **_PLACES),
    line("argsort", both="np.argsort(-data, axis)", when="not is_ascend and axis is not None", **_PLACES),
    line("argsort", both="np.argsort(-np.ravel(data))", when="not is_ascend and axis is None", **_PLACES),
    line("sort", torch="torch.sort(data, axis, not is_ascend).values", when="axis is not None"),
    line("sort", torch="torch.sort(data.flatten(), 0, not is_ascend).values", when="axis is None"),
    line("sort", both="np.sort(data, axis)", when="is_ascend"),
    line("sort", both="np.flip(np.sort(data, axis), axis)", when="not is_ascend and axis is not None"),
    line("sort", both="np.flip(np.sort(data, None))", when="not is_ascend and axis is None"),
    line(
        "topk",
        torch="torch.topk(data, k, axis, not is_ascend).indices",
        both="top_places(data, k, axis, is_ascend)",
        when="ret_typ == 'indices' and axis is not None and k > 0",
        **_PLACES,
    ),
    line(
        "topk",
        torch="torch.topk(data, k, axis, not is_ascend).values",
        both="np.take_along_axis(data, top_places(data, k, axis, is_ascend), axis)",
        when="ret_typ == 'value' and axis is not None and k > 0",
    ),
    line(
        "topk",
        torch="torch.topk(data, k, axis, not is_ascend)",
        both="(np.take_along_axis(data, places := top_places(data, k, axis, is_ascend), axis), places)",
        when="ret_typ == 'both' and axis is not None and k > 0",
        cast=True,
        undifferentiated="torch jax",
    ),
    line(
        "topk",
        torch="torch.zeros_like(data).scatter(axis, torch.topk(data, k, axis, not is_ascend).indices, 1)",
        jax="jnp.put_along_axis(jnp.zeros_like(data), top_places(data, k, axis, is_ascend), 1, axis, inplace=False)",
        when="ret_typ == 'mask' and axis is not None and k > 0",
    ),
    line("_npi_unique", torch="unique(data, return_inverse, return_counts, axis)", when="not return_index"),
)
