"""_contrib_quantized_transpose, forward, on MXNet 2.0.0b1: 4.76 times as slow as a neighbour that does equal work.

slow       181 us a call, where 36.6 us were expected
fast       36.6 us a call
step       axes 0 and 1 exchanged
ratio      4.76 times, 95% interval 4.40 to 4.91, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.76 times: axes 0 and 1 exchanged
roofline   7.20 times: this machine can move and compute as much in that time

Measure it again: python _contrib_quantized_transpose-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.18 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_contrib_quantized_transpose",
    category="quantization",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_quantized_transpose/d31a4865", profile="finding")
def slow():
    return dict(
        data=tensor((512, 1024), "int8", integers(-127, 128)),
        min_data=tensor((1,), "float32", constant(-1.0)),
        max_data=tensor((1,), "float32", constant(1.0)),
        axes=(1, 0),
    )


@case("_contrib_quantized_transpose/d902a426", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 512), "int8", integers(-127, 128)),
        min_data=tensor((1,), "float32", constant(-1.0)),
        max_data=tensor((1,), "float32", constant(1.0)),
        axes=(0, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.18, threads=1))
