"""Pooling, forward, on MXNet 1.9.1: 2.47 times as slow as a neighbour that does equal work.

slow       85.9 us a call, where 34.6 us were expected
fast       34.6 us a call
step       pool_type=sum
ratio      2.47 times, 95% interval 2.42 to 2.53, with 1 thread
family     kernel=(1, 1) and pool_type=avg and dtype is float32 and data.shape[1] <= 2
neighbour  2.48 times: pool_type=sum takes 40% of the time
model      1.29 times: half of 29 other inputs lie within a factor of 1.27 of it
roofline   4.81 times: this machine can move and compute as much in that time

Measure it again: python Pooling-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.57 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="1.9.1",
    seed=1,
)


@case("Pooling/1d87c67b", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1, 256, 8), "float32", uniform(-1.0, 1.0)),
        kernel=(1, 1),
        pool_type="avg",
    )


@case("Pooling/7a1cd9b6", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 1, 256, 8), "float32", uniform(-1.0, 1.0)),
        kernel=(1, 1),
        pool_type="sum",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.57, threads=1))
