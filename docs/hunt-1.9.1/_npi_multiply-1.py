"""_npi_multiply, backward, on MXNet 1.9.1: 6.02 times as slow as a neighbour that does equal work.

slow       316 us a call, where 52.5 us were expected
fast       52.5 us a call
step       rhs.shape[0] of 64
ratio      6.02 times, 95% interval 5.87 to 6.14, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  6.02 times: rhs.shape[0] of 64
roofline   18.7 times: this machine can move and compute as much in that time
forward    7.87 times: the forward pass of the same input

Measure it again: python _npi_multiply-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_multiply",
    category="broadcast",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_multiply/51f7ef12", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
    )


@case("_npi_multiply/72973523", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.45, threads=1))
