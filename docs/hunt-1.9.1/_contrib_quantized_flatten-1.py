"""_contrib_quantized_flatten, forward, on MXNet 1.9.1: 2.19 times as slow as a neighbour that does equal work.

slow       219 us a call, where 100 us were expected
fast       100 us a call
step       data.shape[1] of 6,242
ratio      2.19 times, 95% interval 2.08 to 2.28, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.19 times: data.shape[1] of 6,242
roofline   3.58 times: this machine can move and compute as much in that time

Measure it again: python _contrib_quantized_flatten-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.48 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_contrib_quantized_flatten",
    category="quantization",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_quantized_flatten/68c8d0fb", profile="finding")
def slow():
    return dict(
        data=tensor((7, 6241, 3, 16), "int8", integers(-127, 128)),
        min_data=tensor((1,), "float32", constant(-1.0)),
        max_data=tensor((1,), "float32", constant(1.0)),
    )


@case("_contrib_quantized_flatten/0b3d250f", profile="contrast")
def fast():
    return dict(
        data=tensor((7, 6242, 3, 16), "int8", integers(-127, 128)),
        min_data=tensor((1,), "float32", constant(-1.0)),
        max_data=tensor((1,), "float32", constant(1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.48, threads=1))
