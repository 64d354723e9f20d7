"""_npi_sum, forward, on MXNet 2.0.0b1: 6.23 times as slow as a neighbour that does equal work.

slow       122 us a call, where 19.6 us were expected
fast       19.6 us a call
step       sum: the same operation in another namespace
ratio      6.23 times, 95% interval 5.60 to 6.70, with 1 thread
family     float32, and dtype is given
neighbour  6.23 times: sum: the same operation in another namespace
roofline   9.51 times: this machine can move and compute as much in that time
kin        6.31 times: sum of the same input

Measure it again: python _npi_sum-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_sum/8558de53", profile="finding")
def slow():
    return dict(
        a=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        dtype="float64",
    )


@case("sum/f398cb92", profile="contrast", operator="sum")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.5, threads=1))
