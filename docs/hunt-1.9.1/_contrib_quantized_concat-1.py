"""_contrib_quantized_concat, forward, on MXNet 1.9.1: 3.47 times as slow as a neighbour that does equal work.

slow       100 us a call, where 30.1 us were expected
fast       30.1 us a call
step       dim=1
ratio      3.47 times, 95% interval 3.21 to 3.66, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.47 times: dim=1
roofline   6.21 times: this machine can move and compute as much in that time

Measure it again: python _contrib_quantized_concat-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.86 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_contrib_quantized_concat",
    category="quantization",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_quantized_concat/2ebed853", profile="finding")
def slow():
    return dict(
        data=[tensor((16, 1024), "int8", integers(-127, 128)), tensor((16, 1024), "int8", integers(-127, 128)), tensor((1,), "float32", constant(-1.0)), tensor((1,), "float32", constant(1.0)), tensor((1,), "float32", constant(-1.0)), tensor((1,), "float32", constant(1.0))],
        dim=0,
        num_args=2,
    )


@case("_contrib_quantized_concat/22a7f43f", profile="contrast")
def fast():
    return dict(
        data=[tensor((16, 1024), "int8", integers(-127, 128)), tensor((16, 1024), "int8", integers(-127, 128)), tensor((1,), "float32", constant(-1.0)), tensor((1,), "float32", constant(1.0)), tensor((1,), "float32", constant(-1.0)), tensor((1,), "float32", constant(1.0))],
        dim=1,
        num_args=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.86, threads=1))
