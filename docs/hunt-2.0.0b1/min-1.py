"""min, forward, on MXNet 2.0.0b1: 5.49 times as slow as a neighbour that does equal work.

slow       136 us a call, where 20.6 us were expected
fast       20.6 us a call
step       sum: both read each element once and keep one value for each reduced row
ratio      5.49 times, 95% interval 4.92 to 6.45, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 2.68 times
neighbour  5.49 times: sum: both read each element once and keep one value for each reduced row
roofline   10.2 times: this machine can move and compute as much in that time
kin        3.84 times: sum of the same input

Measure it again: python min-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.34 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="min",
    category="reduction",
    mxnet="2.0.0b1",
    seed=0,
)


@case("min/d85f8771", profile="finding")
def slow():
    return dict(
        data=tensor((27405,), "float32", uniform(-1.0, 1.0)),
    )


@case("sum/59b1e243", profile="contrast", operator="sum")
def fast():
    return dict(
        data=tensor((27405,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.34, threads=1))
