"""Pooling, backward, on MXNet 1.9.1: 2.97 times as slow as a neighbour that does equal work.

slow       1,149 us a call, where 393 us were expected
fast       393 us a call
step       data.shape[2] of 28 and data.shape[1] of 128
ratio      2.97 times, 95% interval 2.83 to 3.10, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 5.20 times
neighbour  2.97 times: data.shape[2] of 28 and data.shape[1] of 128
roofline   34.3 times: this machine can move and compute as much in that time

Measure it again: python Pooling-4.py
It times both interleaved, and exits with 1 if slow takes more than 1.72 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="1.9.1",
    seed=5,
)


@case("Pooling/cdbcba83", profile="finding")
def slow():
    return dict(
        data=tensor((1, 8, 448, 56), "float32", uniform(-1.0, 1.0)),
        kernel=(3, 3),
        pad=(1, 1),
        pool_type="avg",
        stride=(2, 2),
    )


@case("Pooling/ca084b0c", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 128, 28, 56), "float32", uniform(-1.0, 1.0)),
        kernel=(3, 3),
        pad=(1, 1),
        pool_type="avg",
        stride=(2, 2),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.72, threads=1))
