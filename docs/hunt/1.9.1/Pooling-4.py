"""Pooling, forward, on MXNet 1.9.1: 4.89 times as slow as a neighbour that does equal work.

slow       142 us a call, where 28.5 us were expected
fast       28.5 us a call
step       pool_type=sum
ratio      4.89 times, 95% interval 4.58 to 5.11, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 2.01 times
neighbour  4.89 times: pool_type=sum
model      2.13 times: half of 42 other inputs lie within a factor of 1.48 of it
roofline   12.0 times: this machine can move and compute as much in that time

Measure it again: python Pooling-4.py
It times both interleaved, and exits with 1 if slow takes more than 2.21 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="1.9.1",
    seed=5,
)


@case("Pooling/6689dc18", profile="finding")
def slow():
    return dict(
        data=tensor((1, 32, 128), "float32", uniform(-1.0, 1.0)),
        kernel=(3,),
        pool_type="max",
    )


@case("Pooling/bad65be4", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 32, 128), "float32", uniform(-1.0, 1.0)),
        kernel=(3,),
        pool_type="sum",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.21, threads=1))
