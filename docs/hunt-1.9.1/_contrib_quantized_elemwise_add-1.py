"""_contrib_quantized_elemwise_add, forward, on MXNet 1.9.1: 2.41 times as slow as a neighbour that does equal work.

slow       1,915 us a call, where 805 us were expected
fast       805 us a call
step       lhs.shape[0] of 262,143
ratio      2.41 times, 95% interval 2.05 to 3.17, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.41 times: lhs.shape[0] of 262,143
roofline   58.7 times: this machine can move and compute as much in that time

Measure it again: python _contrib_quantized_elemwise_add-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_contrib_quantized_elemwise_add",
    category="quantization",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_quantized_elemwise_add/3e563d91", profile="finding")
def slow():
    return dict(
        lhs=tensor((262142,), "int8", integers(-127, 128)),
        rhs=tensor((262142,), "int8", integers(-127, 128)),
        lhs_min=tensor((1,), "float32", constant(-1.0)),
        lhs_max=tensor((1,), "float32", constant(1.0)),
        rhs_min=tensor((1,), "float32", constant(-1.0)),
        rhs_max=tensor((1,), "float32", constant(1.0)),
    )


@case("_contrib_quantized_elemwise_add/ddc6f9d6", profile="contrast")
def fast():
    return dict(
        lhs=tensor((262143,), "int8", integers(-127, 128)),
        rhs=tensor((262143,), "int8", integers(-127, 128)),
        lhs_min=tensor((1,), "float32", constant(-1.0)),
        lhs_max=tensor((1,), "float32", constant(1.0)),
        rhs_min=tensor((1,), "float32", constant(-1.0)),
        rhs_max=tensor((1,), "float32", constant(1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.55, threads=1))
