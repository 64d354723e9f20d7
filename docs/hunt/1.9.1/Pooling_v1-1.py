"""Pooling_v1, forward, on MXNet 1.9.1: 1.91 times as slow as a neighbour that does equal work.

slow       203 us a call, where 107 us were expected
fast       107 us a call
step       pool_type=sum
ratio      1.91 times, 95% interval 1.88 to 1.93, with 1 thread
family     kernel=(2, 2) and pool_type=max
neighbour  1.89 times: pool_type=sum takes 53% of the time
model      1.55 times: half of 35 other inputs lie within a factor of 1.11 of it
roofline   10.8 times: this machine can move and compute as much in that time

Measure it again: python Pooling_v1-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.38 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling_v1",
    category="pooling",
    mxnet="1.9.1",
    seed=1,
)


@case("Pooling_v1/5a7c7468", profile="finding")
def slow():
    return dict(
        data=tensor((1, 5, 32, 32), "float32", uniform(-1.0, 1.0)),
        kernel=(2, 2),
        pool_type="max",
    )


@case("Pooling_v1/fbe5747a", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 5, 32, 32), "float32", uniform(-1.0, 1.0)),
        kernel=(2, 2),
        pool_type="sum",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.38, threads=1))
