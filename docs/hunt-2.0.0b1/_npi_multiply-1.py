"""_npi_multiply, backward, on MXNet 2.0.0b1: 8.67 times as slow as a neighbour that does equal work.

slow       758 us a call, where 87.0 us were expected
fast       87.0 us a call
step       rhs.shape[0] of 128
ratio      8.67 times, 95% interval 7.76 to 9.53, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  8.67 times: rhs.shape[0] of 128
roofline   49.5 times: this machine can move and compute as much in that time
forward    16.3 times: the forward pass of the same input

Measure it again: python _npi_multiply-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.94 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_multiply",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_multiply/98a863fb", profile="finding")
def slow():
    return dict(
        lhs=tensor((128, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
    )


@case("_npi_multiply/dfd2d27a", profile="contrast")
def fast():
    return dict(
        lhs=tensor((128, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((128, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.94, threads=1))
