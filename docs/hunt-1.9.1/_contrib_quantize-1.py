"""_contrib_quantize, forward, on MXNet 1.9.1: 3.02 times as slow as a neighbour that does equal work.

slow       3,064 us a call, where 1,024 us were expected
fast       1,024 us a call
step       data.shape[0] of 3,906,447
ratio      3.02 times, 95% interval 2.89 to 3.13, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.02 times: data.shape[0] of 3,906,447
roofline   1.69 times: this machine can move and compute as much in that time

Measure it again: python _contrib_quantize-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.74 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_quantize",
    category="quantization",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_quantize/98e93d85", profile="finding")
def slow():
    return dict(
        data=tensor((3906446,), "float32", uniform(-1.0, 1.0)),
        min_range=tensor((1,), "float32", constant(-1.0)),
        max_range=tensor((1,), "float32", constant(1.0)),
    )


@case("_contrib_quantize/cd2c6b2a", profile="contrast")
def fast():
    return dict(
        data=tensor((3906447,), "float32", uniform(-1.0, 1.0)),
        min_range=tensor((1,), "float32", constant(-1.0)),
        max_range=tensor((1,), "float32", constant(1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.74, threads=1))
