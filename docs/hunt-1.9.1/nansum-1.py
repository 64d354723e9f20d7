"""nansum, backward, on MXNet 1.9.1: 3.89 times as slow as a neighbour that does equal work.

slow       200 us a call, where 52.3 us were expected
fast       52.3 us a call
step       sum: both read each element once and keep one value for each reduced row
ratio      3.89 times, 95% interval 3.71 to 4.13, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.89 times: sum: both read each element once and keep one value for each reduced row
roofline   11.9 times: this machine can move and compute as much in that time
kin        3.53 times: sum of the same input

Measure it again: python nansum-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.97 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="nansum",
    category="reduction",
    mxnet="1.9.1",
    seed=0,
)


@case("nansum/7b144d0d", profile="finding")
def slow():
    return dict(
        data=tensor((32769,), "float32", uniform(-1.0, 1.0)),
    )


@case("sum/f93ffb12", profile="contrast", operator="sum")
def fast():
    return dict(
        data=tensor((32769,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.97, threads=1))
