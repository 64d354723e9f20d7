"""_npi_subtract, backward, on MXNet 2.0.0b1: 2.13 times as slow as a neighbour that does equal work.

slow       108 us a call, where 49.3 us were expected
fast       49.3 us a call
step       rhs.shape[0] of 2
ratio      2.13 times, 95% interval 1.98 to 2.23, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.13 times: rhs.shape[0] of 2
roofline   9.00 times: this machine can move and compute as much in that time
forward    3.36 times: the forward pass of the same input

Measure it again: python _npi_subtract-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_subtract",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_subtract/3ad1b32d", profile="finding")
def slow():
    return dict(
        lhs=tensor((2, 209), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((1, 209), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_subtract/2c4d0d48", profile="contrast")
def fast():
    return dict(
        lhs=tensor((2, 209), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((2, 209), "float16", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.46, threads=1))
