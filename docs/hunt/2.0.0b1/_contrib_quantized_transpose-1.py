"""_contrib_quantized_transpose, forward, on MXNet 2.0.0b1: 2.83 times as slow as a neighbour that does equal work.

slow       132 us a call, where 46.6 us were expected
fast       46.6 us a call
step       axes 0 and 1 exchanged
ratio      2.83 times, 95% interval 2.73 to 2.92, with 1 thread
family     axes=(1, 0)
neighbour  2.82 times: axes 0 and 1 exchanged takes 35% of the time
roofline   3.51 times: this machine can move and compute as much in that time

Measure it again: python _contrib_quantized_transpose-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.68 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_contrib_quantized_transpose",
    category="quantization",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_contrib_quantized_transpose/cb601fc4", profile="finding")
def slow():
    return dict(
        data=tensor((256, 1024), "int8", integers(-127, 128)),
        min_data=tensor((1,), "float32", constant(-1.0)),
        max_data=tensor((1,), "float32", constant(1.0)),
        axes=(1, 0),
    )


@case("_contrib_quantized_transpose/3d8a4bd2", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 256), "int8", integers(-127, 128)),
        min_data=tensor((1,), "float32", constant(-1.0)),
        max_data=tensor((1,), "float32", constant(1.0)),
        axes=(0, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.68, threads=1))
