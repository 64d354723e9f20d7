"""Pooling, forward, on MXNet 2.0.0b1: 5.77 times as slow as a neighbour that does equal work.

slow       1,016 us a call, where 171 us were expected
fast       147 us a call
step       data.shape[2] of 171 and data.shape[1] of 57
ratio      5.77 times, 95% interval 5.56 to 5.98, with 1 thread
family     kernel=(1, 1) and data.shape[1] < 57 and data.shape[2] > 171
neighbour  5.93 times: data.shape[2] of 171 and data.shape[1] of 57 takes 17% of the time
model      7.35 times: half of 31 other inputs lie within a factor of 1.19 of it
roofline   34.4 times: this machine can move and compute as much in that time

Measure it again: python Pooling-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.79 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="2.0.0b1",
    seed=1,
)


@case("Pooling/4c193ba5", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1, 9747, 4), "float32", uniform(-1.0, 1.0)),
        kernel=(1, 1),
    )


@case("Pooling/0d5a2238", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 57, 171, 4), "float32", uniform(-1.0, 1.0)),
        kernel=(1, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.79, threads=1))
