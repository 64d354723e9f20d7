"""_contrib_quantized_transpose, forward, on MXNet 2.0.0b1: 2.25 times as slow as a neighbour that does equal work.

slow       145 us a call, where 64.2 us were expected
fast       64.2 us a call
step       axes 2 and 3 exchanged
ratio      2.25 times, 95% interval 2.21 to 2.29, with 1 thread
family     axes=(3, 2, 1, 0)
neighbour  2.26 times: axes 2 and 3 exchanged takes 44% of the time
roofline   3.88 times: this machine can move and compute as much in that time

Measure it again: python _contrib_quantized_transpose-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_contrib_quantized_transpose",
    category="quantization",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_contrib_quantized_transpose/c603bfc4", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1, 256, 1024), "int8", integers(-127, 128)),
        min_data=tensor((1,), "float32", constant(-1.0)),
        max_data=tensor((1,), "float32", constant(1.0)),
        axes=(3, 2, 1, 0),
    )


@case("_contrib_quantized_transpose/60f9a370", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 1, 1024, 256), "int8", integers(-127, 128)),
        min_data=tensor((1,), "float32", constant(-1.0)),
        max_data=tensor((1,), "float32", constant(1.0)),
        axes=(2, 3, 1, 0),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.5, threads=1))
