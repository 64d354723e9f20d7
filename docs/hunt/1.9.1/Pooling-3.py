"""Pooling, forward, on MXNet 1.9.1: 8.06 times as slow as a neighbour that does equal work.

slow       1,037 us a call, where 133 us were expected
fast       106 us a call
step       data.shape[2] of 9
ratio      8.06 times, 95% interval 7.44 to 8.64, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  8.06 times: data.shape[2] of 9
model      8.89 times: half of 41 other inputs lie within a factor of 1.58 of it
roofline   37.7 times: this machine can move and compute as much in that time

Measure it again: python Pooling-3.py
It times both interleaved, and exits with 1 if slow takes more than 3.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="1.9.1",
    seed=5,
)


@case("Pooling/ca1cd0c0", profile="finding")
def slow():
    return dict(
        data=tensor((1, 8, 10, 28, 56), "float32", uniform(-1.0, 1.0)),
        kernel=(2, 2, 2),
        stride=(2, 2, 2),
    )


@case("Pooling/6a604c4a", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 8, 9, 28, 56), "float32", uniform(-1.0, 1.0)),
        kernel=(2, 2, 2),
        stride=(2, 2, 2),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.55, threads=1))
