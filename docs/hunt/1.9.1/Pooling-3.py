"""Pooling, forward, on MXNet 1.9.1: 2.12 times as slow as a neighbour that does equal work.

slow       171 us a call, where 80.1 us were expected
fast       80.1 us a call
step       axes 0 and 3 exchanged
ratio      2.12 times, 95% interval 1.92 to 2.14, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.12 times: axes 0 and 3 exchanged
model      2.51 times: half of 42 other inputs lie within a factor of 1.48 of it
roofline   14.6 times: this machine can move and compute as much in that time

Measure it again: python Pooling-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="1.9.1",
    seed=5,
)


@case("Pooling/0e2104f6", profile="finding")
def slow():
    return dict(
        data=tensor((2, 8, 112, 1), "float32", uniform(-1.0, 1.0)),
        kernel=(3, 3),
        pad=(1, 1),
    )


@case("Pooling/624a76b2", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 8, 112, 2), "float32", uniform(-1.0, 1.0)),
        kernel=(3, 3),
        pad=(1, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.46, threads=1))
