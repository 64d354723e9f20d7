"""The planted operators: those with cliffs, each with the simplest input that has it, and those without.

The laws are those of operators.cc, said once more, so that a search is judged by something that it can't see.
"Simplest" goes by the order in which a hunt simplifies: fewer parameters, fewer tensors, lower rank, fewer elements,
smaller and rounder dimensions, float32.
"""

from __future__ import annotations

from planted.laws import (
    Call,
    Cliff,
    Law,
    Planted,
    best_constant,
    best_sorted,
    by_bytes,
    by_distinct,
    by_logarithm,
    by_nonzeros,
    by_outer_product,
    by_power,
    by_product,
    by_reduction,
    by_repeats,
    by_result,
    by_sorting,
    by_square,
    by_window,
    linear,
)

BOTH = ("forward", "backward")


def _with_cliffs(name: str, law: Law, *cliffs: Cliff, forward: Law | None = None) -> Planted:
    return Planted(name, forward or law, law, cliffs)


def _alike(name: str, law: Law) -> Planted:
    return Planted(name, law, law)


CLIFFS = (
    _with_cliffs(
        "planted_axis",
        linear(150, 1.0),
        Cliff(
            "axis is 0 of two or more",
            3.0,
            lambda call: call.rank >= 2 and call.axis() == 0,
            Call(((1, 1),), params={"axis": 0}),
        ),
    ),
    _with_cliffs(
        "planted_multiple",
        linear(130, 0.8),
        Cliff("last is a multiple of 64", 3.0, lambda call: call.shape[-1] % 64 == 0, Call(((64,),))),
    ),
    _with_cliffs(
        "planted_skew",
        linear(160, 1.2),
        Cliff(
            "last is 256 times first, or more",
            2.5,
            lambda call: call.shape[-1] >= 256 * call.shape[0],
            Call(((1, 256),)),
        ),
    ),
    _with_cliffs(
        "planted_dtype",
        linear(140, 1.0),
        Cliff("float64", 3.0, lambda call: call.dtype == "float64", Call(((1,),), "float64")),
    ),
    _with_cliffs(
        "planted_mode",
        linear(150, 0.9),
        Cliff("mode is 3", 2.5, lambda call: str(call.params.get("mode", 0)) == "3", Call(((1,),), params={"mode": 3})),
    ),
    _with_cliffs(
        "planted_volume",
        linear(120, 1.1),
        Cliff("65,536 elements and more", 3.0, lambda call: call.elements >= 65536, Call(((65536,),))),
    ),
    _with_cliffs(
        "planted_pair",
        linear(170, 1.0),
        Cliff(
            "axis is 1 (by default 0), and reverse",
            3.0,
            lambda call: call.rank >= 2 and call.axis(0) == 1 and str(call.params.get("reverse")) == "True",
            Call(((1, 1),), params={"axis": 1, "reverse": True}),
        ),
    ),
    _with_cliffs(
        "planted_gradient",
        linear(160, 1.3),
        Cliff("first is 512 or more", 3.0, lambda call: call.shape[0] >= 512, Call(((512,),)), ("backward",)),
        forward=linear(140, 1.0),
    ),
    _with_cliffs(
        "planted_shape",
        by_result,
        Cliff("float16", 4.0, lambda call: call.dtype == "float16", Call(((1,),), "float16")),
    ),
    _with_cliffs(
        "planted_default",
        linear(140, 1.0),
        Cliff("scale is given", 3.0, lambda call: "scale" in call.params, Call(((1,),), params={"scale": 2})),
    ),
    _with_cliffs(
        "planted_two",
        linear(150, 1.0),
        Cliff(
            "axis is 0 of two or more",
            3.0,
            lambda call: call.rank >= 2 and call.axis() == 0,
            Call(((1, 1),), params={"axis": 0}),
        ),
        Cliff("float16", 4.0, lambda call: call.dtype == "float16", Call(((1,),), "float16")),
    ),
    _with_cliffs(
        "planted_both",
        linear(150, 1.0),
        Cliff("first is 512 or more", 3.0, lambda call: call.shape[0] >= 512, Call(((512,),)), BOTH),
    ),
    _with_cliffs(
        "planted_alike",
        linear(150, 1.0),
        Cliff("every input", 3.0, lambda _call: True, Call(((1,),)), BOTH, equivalent="_contrib_planted_alike"),
    ),
    _with_cliffs(
        "planted_cache",
        linear(150, 0.5),
        Cliff("1,048,576 elements and more", 3.0, lambda call: call.elements >= 2**20, Call(((2**20,),))),
    ),
    _with_cliffs(
        "planted_sorted",
        linear(140, 1.0),
        Cliff(
            "sorted data of 64 elements and more",
            3.0,
            lambda call: call.pattern == "sorted" and call.elements >= 64,
            Call(((64,),), pattern="sorted"),
        ),
        forward=linear(150, 2.0),
    ),
    _with_cliffs(
        "planted_few",
        linear(140, 1.0),
        Cliff(
            "at most five distinct values of 256 and more",
            3.0,
            lambda call: call.pattern in ("constant", "few") and call.elements >= 256,
            Call(((256,),), pattern="constant"),
        ),
        forward=linear(150, 2.0),
    ),
    _with_cliffs(
        "planted_subnormal",
        linear(140, 1.0),
        Cliff("subnormal data", 4.0, lambda call: call.pattern == "subnormal", Call(((1,),), pattern="subnormal")),
        forward=linear(140, 2.0),
    ),
    _with_cliffs(
        "planted_own",
        linear(140, 1.0),
        Cliff("float16", 4.0, lambda call: call.dtype == "float16", Call(((1,),), "float16")),
        forward=by_distinct,
    ),
)
CLEAN = (
    Planted("planted_clean_linear", linear(120, 1.2), linear(140, 1.2)),
    _alike("planted_clean_bytes", by_bytes),
    Planted("planted_clean_sort", by_sorting, linear(140, 1.0)),
    Planted("planted_clean_reduce", by_reduction, linear(130, 1.0)),
    _alike("planted_clean_repeat", by_repeats),
    _alike("planted_clean_outer", by_outer_product),
    _alike("planted_clean_noisy", linear(150, 1.0)),
    Planted("planted_clean_double", linear(130, 1.0), linear(260, 2.0)),
    _alike("planted_clean_square", by_square),
    _alike("planted_clean_power", by_power),
    _alike("planted_clean_logarithm", by_logarithm),
    _alike("planted_clean_product", by_product),
    _alike("planted_clean_window", by_window),
    _alike("planted_clean_tile", by_result),
    Planted("planted_clean_steep", linear(100, 0.5), linear(400, 4.0)),
    _alike("planted_clean_short", linear(10, 20.0)),
    Planted("planted_clean_distinct", by_distinct, linear(140, 1.0)),
    Planted("planted_clean_nonzeros", by_nonzeros, linear(140, 1.0)),
    Planted("planted_clean_sorted", best_sorted, linear(140, 1.0)),
    Planted("planted_clean_constant", best_constant, linear(140, 1.0)),
)
ALL = {planted.name: planted for planted in (*CLIFFS, *CLEAN)}
