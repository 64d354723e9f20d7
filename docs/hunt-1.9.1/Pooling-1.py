"""Pooling, backward, on MXNet 1.9.1: 2.82 times as slow as a neighbour that does equal work.

slow       5,789 us a call, where 1,983 us were expected
fast       992 us a call
step       axes 0 and 2 exchanged
ratio      2.82 times, 95% interval 2.53 to 3.06, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.82 times: axes 0 and 2 exchanged
roofline   85.1 times: this machine can move and compute as much in that time

Measure it again: python Pooling-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.36 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="1.9.1",
    seed=0,
)


@case("Pooling/4ec15945", profile="finding")
def slow():
    return dict(
        data=tensor((112, 64, 1, 112), "float32", uniform(-1.0, 1.0)),
        kernel=(3, 3),
        pad=(1, 1),
        pool_type="max",
        stride=(2, 2),
    )


@case("Pooling/0e314647", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 64, 112, 112), "float32", uniform(-1.0, 1.0)),
        kernel=(3, 3),
        pad=(1, 1),
        pool_type="max",
        stride=(2, 2),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=3.36, threads=1))
