"""_contrib_quantized_elemwise_add, forward, on MXNet 2.0.0b1: 12.4 times as slow as a neighbour that does equal work.

slow       1,407 us a call, where 114 us were expected
fast       114 us a call
step       lhs.shape[0] of 192,102
ratio      12.4 times, 95% interval 11.9 to 13.1, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  12.4 times: lhs.shape[0] of 192,102
roofline   53.0 times: this machine can move and compute as much in that time

Measure it again: python _contrib_quantized_elemwise_add-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.52 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_contrib_quantized_elemwise_add",
    category="quantization",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_quantized_elemwise_add/7c68da22", profile="finding")
def slow():
    return dict(
        lhs=tensor((192103,), "int8", integers(-127, 128)),
        rhs=tensor((192103,), "int8", integers(-127, 128)),
        lhs_min=tensor((1,), "float32", constant(-1.0)),
        lhs_max=tensor((1,), "float32", constant(1.0)),
        rhs_min=tensor((1,), "float32", constant(-1.0)),
        rhs_max=tensor((1,), "float32", constant(1.0)),
    )


@case("_contrib_quantized_elemwise_add/ecea51ad", profile="contrast")
def fast():
    return dict(
        lhs=tensor((192102,), "int8", integers(-127, 128)),
        rhs=tensor((192102,), "int8", integers(-127, 128)),
        lhs_min=tensor((1,), "float32", constant(-1.0)),
        lhs_max=tensor((1,), "float32", constant(1.0)),
        rhs_min=tensor((1,), "float32", constant(-1.0)),
        rhs_max=tensor((1,), "float32", constant(1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.52, threads=1))
