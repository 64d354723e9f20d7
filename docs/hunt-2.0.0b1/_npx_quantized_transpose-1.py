"""_npx_quantized_transpose, forward, on MXNet 2.0.0b1: 3.26 times as slow as a neighbour that does equal work.

slow       98.6 us a call, where 30.3 us were expected
fast       30.3 us a call
step       axes 0 and 1 exchanged
ratio      3.26 times, 95% interval 3.05 to 3.45, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.26 times: axes 0 and 1 exchanged
roofline   5.30 times: this machine can move and compute as much in that time

Measure it again: python _npx_quantized_transpose-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.81 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npx_quantized_transpose",
    category="quantization",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npx_quantized_transpose/28408e18", profile="finding")
def slow():
    return dict(
        data=tensor((512, 512), "int8", integers(-127, 128)),
        min_data=tensor((1,), "float32", constant(-1.0)),
        max_data=tensor((1,), "float32", constant(1.0)),
        axes=(1, 0),
    )


@case("_npx_quantized_transpose/7298ed65", profile="contrast")
def fast():
    return dict(
        data=tensor((512, 512), "int8", integers(-127, 128)),
        min_data=tensor((1,), "float32", constant(-1.0)),
        max_data=tensor((1,), "float32", constant(1.0)),
        axes=(0, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.81, threads=1))
