"""_npi_true_divide, backward, on MXNet 1.9.1: 5.42 times as slow as a neighbour that does equal work.

slow       389 us a call, where 72.6 us were expected
fast       72.6 us a call
step       rhs.shape[0] of 64
ratio      5.42 times, 95% interval 5.08 to 5.60, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  5.42 times: rhs.shape[0] of 64
roofline   23.1 times: this machine can move and compute as much in that time
forward    9.67 times: the forward pass of the same input

Measure it again: python _npi_true_divide-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.33 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_true_divide",
    category="broadcast",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_true_divide/4ae28994", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(0.1, 2.0)),
    )


@case("_npi_true_divide/ac42a878", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((64, 256), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.33, threads=1))
