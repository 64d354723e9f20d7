"""_npi_add, backward, on MXNet 2.0.0b1: 7.91 times as slow as a neighbour that does equal work.

slow       491 us a call, where 62.3 us were expected
fast       62.3 us a call
step       rhs.shape[0] of 128
ratio      7.91 times, 95% interval 7.58 to 8.21, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  7.91 times: rhs.shape[0] of 128
roofline   32.0 times: this machine can move and compute as much in that time
forward    10.7 times: the forward pass of the same input

Measure it again: python _npi_add-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.81 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_add",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_add/07422c93", profile="finding")
def slow():
    return dict(
        lhs=tensor((128, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
    )


@case("_npi_add/04ecd0de", profile="contrast")
def fast():
    return dict(
        lhs=tensor((128, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((128, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.81, threads=1))
