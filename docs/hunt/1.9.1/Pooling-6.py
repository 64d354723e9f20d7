"""Pooling, forward, on MXNet 1.9.1: 2.61 times as slow as a neighbour that does equal work.

slow       279 us a call, where 102 us were expected
fast       102 us a call
step       no layout
ratio      2.61 times, 95% interval 2.51 to 2.68, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.61 times: no layout
model      2.29 times: half of 42 other inputs lie within a factor of 1.48 of it
roofline   15.9 times: this machine can move and compute as much in that time

Measure it again: python Pooling-6.py
It times both interleaved, and exits with 1 if slow takes more than 1.61 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="1.9.1",
    seed=5,
)


@case("Pooling/1558e0ff", profile="finding")
def slow():
    return dict(
        data=tensor((1, 31, 31, 64), "float32", uniform(-1.0, 1.0)),
        kernel=(1, 2),
        layout="NHWC",
    )


@case("Pooling/d46edb29", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 31, 31, 64), "float32", uniform(-1.0, 1.0)),
        kernel=(1, 2),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.61, threads=1))
