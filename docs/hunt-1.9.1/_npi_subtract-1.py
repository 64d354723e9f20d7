"""_npi_subtract, backward, on MXNet 1.9.1: 2.45 times as slow as a neighbour that does equal work.

slow       165 us a call, where 67.1 us were expected
fast       67.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.45 times, 95% interval 2.24 to 2.68, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.45 times: float32: as many elements, 2 times the bytes
roofline   10.7 times: this machine can move and compute as much in that time
forward    5.20 times: the forward pass of the same input

Measure it again: python _npi_subtract-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_subtract",
    category="broadcast",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_subtract/a9e66545", profile="finding")
def slow():
    return dict(
        lhs=tensor((2, 1), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_subtract/13ca4d70", profile="contrast")
def fast():
    return dict(
        lhs=tensor((2, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.56, threads=1))
