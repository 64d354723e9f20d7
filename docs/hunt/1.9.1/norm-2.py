"""norm, backward, on MXNet 1.9.1: 2.86 times as slow as a neighbour that does equal work.

slow       120 us a call, where 42.6 us were expected
fast       42.6 us a call
step       sum: both read each element once and keep one value for each reduced row
ratio      2.86 times, 95% interval 2.76 to 2.98, with 1 thread
family     every input
neighbour  2.86 times: sum: both read each element once and keep one value for each reduced row
roofline   9.86 times: this machine can move and compute as much in that time
forward    1.41 times: the forward pass of the same input
kin        2.92 times: sum of the same input

Measure it again: python norm-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.69 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="norm",
    category="reduction",
    mxnet="1.9.1",
    seed=5,
)


@case("norm/e3edc35e", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


@case("sum/f398cb92", profile="contrast", operator="sum")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.69, threads=1))
