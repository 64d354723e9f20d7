"""_contrib_quantized_concat, forward, on MXNet 2.0.0b1: 4.66 times as slow as a neighbour that does equal work.

slow       139 us a call, where 29.7 us were expected
fast       29.7 us a call
step       dim=1
ratio      4.66 times, 95% interval 4.39 to 4.83, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.66 times: dim=1
roofline   10.2 times: this machine can move and compute as much in that time

Measure it again: python _contrib_quantized_concat-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.16 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_contrib_quantized_concat",
    category="quantization",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_quantized_concat/a8871ab5", profile="finding")
def slow():
    return dict(
        data=[tensor((32, 1024), "int8", integers(-127, 128)), tensor((32, 1024), "int8", integers(-127, 128)), tensor((1,), "float32", constant(-1.0)), tensor((1,), "float32", constant(1.0)), tensor((1,), "float32", constant(-1.0)), tensor((1,), "float32", constant(1.0))],
        dim=0,
        num_args=2,
    )


@case("_contrib_quantized_concat/aa9f40ff", profile="contrast")
def fast():
    return dict(
        data=[tensor((32, 1024), "int8", integers(-127, 128)), tensor((32, 1024), "int8", integers(-127, 128)), tensor((1,), "float32", constant(-1.0)), tensor((1,), "float32", constant(1.0)), tensor((1,), "float32", constant(-1.0)), tensor((1,), "float32", constant(1.0))],
        dim=1,
        num_args=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.16, threads=1))
