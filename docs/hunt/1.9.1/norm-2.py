"""norm, backward, on MXNet 1.9.1: 2.76 times as slow as a neighbour that does equal work.

slow       121 us a call, where 44.5 us were expected
fast       44.5 us a call
step       sum: both read each element once and keep one value for each reduced row
ratio      2.76 times, 95% interval 2.61 to 2.92, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  2.76 times: sum: both read each element once and keep one value for each reduced row
roofline   9.82 times: this machine can move and compute as much in that time
kin        2.77 times: sum of the same input

Measure it again: python norm-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.66 times as long as fast, else with 0.
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.66, threads=1))
