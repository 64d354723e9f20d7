"""_npi_copysign, forward, on MXNet 2.0.0b1: 3.49 times as slow as a neighbour that does equal work.

slow       60.2 us a call, where 16.1 us were expected
fast       16.1 us a call
step       lhs.shape[0] of 1 and lhs.shape[1] of 10,240
ratio      3.49 times, 95% interval 2.87 to 4.25, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 5.53 times
neighbour  3.49 times: lhs.shape[0] of 1 and lhs.shape[1] of 10,240
roofline   4.62 times: this machine can move and compute as much in that time

Measure it again: python _npi_copysign-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.87 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_copysign",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_copysign/d2261868", profile="finding")
def slow():
    return dict(
        lhs=tensor((40, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
    )


@case("_npi_copysign/082f3513", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1, 10240), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 10240), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.87, threads=1))
