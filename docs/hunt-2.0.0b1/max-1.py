"""max, forward, on MXNet 2.0.0b1: 6.49 times as slow as a neighbour that does equal work.

slow       155 us a call, where 24.8 us were expected
fast       24.8 us a call
step       sum: both read each element once and keep one value for each reduced row
ratio      6.49 times, 95% interval 5.75 to 7.22, with 1 thread
family     float32
also       backward, 2.87 times
neighbour  6.49 times: sum: both read each element once and keep one value for each reduced row
roofline   11.4 times: this machine can move and compute as much in that time
kin        7.69 times: sum of the same input

Measure it again: python max-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="max",
    category="reduction",
    mxnet="2.0.0b1",
    seed=0,
)


@case("max/c62085c4", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


@case("sum/c3bbd08f", profile="contrast", operator="sum")
def fast():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.55, threads=1))
