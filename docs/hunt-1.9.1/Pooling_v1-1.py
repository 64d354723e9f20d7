"""Pooling_v1, backward, on MXNet 1.9.1: 1.95 times as slow as a neighbour that does equal work.

slow       975 us a call, where 501 us were expected
fast       501 us a call
step       pool_type=avg
ratio      1.95 times, 95% interval 1.89 to 2.01, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.04 times
neighbour  1.95 times: pool_type=avg
roofline   51.3 times: this machine can move and compute as much in that time
forward    1.72 times: the forward pass of the same input

Measure it again: python Pooling_v1-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling_v1",
    category="pooling",
    mxnet="1.9.1",
    seed=0,
)


@case("Pooling_v1/003e1a16", profile="finding")
def slow():
    return dict(
        data=tensor((1, 64, 32, 32), "float32", uniform(-1.0, 1.0)),
        kernel=(2, 2),
        pool_type="max",
        stride=(2, 2),
    )


@case("Pooling_v1/5c0ae2bc", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 64, 32, 32), "float32", uniform(-1.0, 1.0)),
        kernel=(2, 2),
        pool_type="avg",
        stride=(2, 2),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.4, threads=1))
