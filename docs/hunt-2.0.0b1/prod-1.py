"""prod, forward, on MXNet 2.0.0b1: 5.56 times as slow as a neighbour that does equal work.

slow       164 us a call, where 29.0 us were expected
fast       29.0 us a call
step       sum: both read each element once and keep one value for each reduced row
ratio      5.56 times, 95% interval 5.37 to 5.77, with 1 thread
family     float32, and the last dimension is 2 or more
also       backward, 2.89 times
neighbour  5.56 times: sum: both read each element once and keep one value for each reduced row
roofline   12.0 times: this machine can move and compute as much in that time
kin        4.27 times: sum of the same input

Measure it again: python prod-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.36 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="prod",
    category="reduction",
    mxnet="2.0.0b1",
    seed=0,
)


@case("prod/5eebe128", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float32", uniform(0.999, 1.001)),
    )


@case("sum/728a3f5d", profile="contrast", operator="sum")
def fast():
    return dict(
        data=tensor((32768,), "float32", uniform(0.999, 1.001)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.36, threads=1))
