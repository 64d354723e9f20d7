"""Pooling, backward, on MXNet 1.9.1: 5.22 times as slow as a neighbour that does equal work.

slow       1,817 us a call, where 349 us were expected
fast       340 us a call
step       data.shape[2] of 187 and data.shape[1] of 53
ratio      5.22 times, 95% interval 5.06 to 5.36, with 1 thread
family     kernel=(7, 1) and stride=(2, 1) and pool_type=avg and data.shape[1] < 53 and data.shape[2] > 187
neighbour  5.21 times: data.shape[2] of 187 and data.shape[1] of 53 takes 19% of the time
model      5.09 times: half of 29 other inputs lie within a factor of 1.24 of it
roofline   46.6 times: this machine can move and compute as much in that time

Measure it again: python Pooling-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.35 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="1.9.1",
    seed=1,
)


@case("Pooling/3cdfac4a", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1, 9911, 10), "float32", uniform(-1.0, 1.0)),
        kernel=(7, 1),
        pool_type="avg",
        stride=(2, 1),
    )


@case("Pooling/bc027852", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 53, 187, 10), "float32", uniform(-1.0, 1.0)),
        kernel=(7, 1),
        pool_type="avg",
        stride=(2, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.35, threads=1))
