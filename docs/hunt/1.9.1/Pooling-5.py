"""Pooling, forward, on MXNet 1.9.1: 3.97 times as slow as a neighbour that does equal work.

slow       688 us a call, where 175 us were expected
fast       175 us a call
step       no layout
ratio      3.97 times, 95% interval 3.72 to 4.23, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 2.81 times
neighbour  3.97 times: no layout
model      4.29 times: half of 41 other inputs lie within a factor of 1.58 of it
roofline   20.5 times: this machine can move and compute as much in that time

Measure it again: python Pooling-5.py
It times both interleaved, and exits with 1 if slow takes more than 1.99 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="1.9.1",
    seed=5,
)


@case("Pooling/682bc76f", profile="finding")
def slow():
    return dict(
        data=tensor((1, 56, 56, 64), "float32", uniform(-1.0, 1.0)),
        kernel=(2, 2),
        layout="NHWC",
        stride=(2, 2),
    )


@case("Pooling/702b9426", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 56, 56, 64), "float32", uniform(-1.0, 1.0)),
        kernel=(2, 2),
        stride=(2, 2),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.99, threads=1))
