"""_npi_copysign, backward, on MXNet 1.9.1: 2.93 times as slow as a neighbour that does equal work.

slow       135 us a call, where 46.4 us were expected
fast       46.4 us a call
step       lhs.shape[0] of 1 and lhs.shape[1] of 512
ratio      2.93 times, 95% interval 2.88 to 2.97, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.93 times: lhs.shape[0] of 1 and lhs.shape[1] of 512
roofline   8.75 times: this machine can move and compute as much in that time
forward    4.46 times: the forward pass of the same input

Measure it again: python _npi_copysign-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.71 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_copysign",
    category="broadcast",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_copysign/8e0a3282", profile="finding")
def slow():
    return dict(
        lhs=tensor((2, 256), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_copysign/21711e06", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1, 512), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((1, 512), "float16", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.71, threads=1))
