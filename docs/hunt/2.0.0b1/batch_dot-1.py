"""batch_dot, backward, on MXNet 2.0.0b1: 2.63 times as slow as a neighbour that does equal work.

slow       4,682 us a call, where 1,807 us were expected
fast       903 us a call
step       float32: as many elements, half the bytes
ratio      2.63 times, 95% interval 2.40 to 2.82, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.05 times
neighbour  2.63 times: float32: as many elements, half the bytes
model      6.12 times: half of 56 other inputs lie within a factor of 1.26 of it
roofline   4.17 times: this machine can move and compute as much in that time
forward    3.54 times: the forward pass of the same input

Measure it again: python batch_dot-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.25 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="batch_dot",
    category="gemm",
    mxnet="2.0.0b1",
    seed=5,
)


@case("batch_dot/07c269c6", profile="finding")
def slow():
    return dict(
        lhs=tensor((12, 128, 64), "float64", uniform(-1.0, 1.0)),
        rhs=tensor((12, 128, 64), "float64", uniform(-1.0, 1.0)),
        transpose_b=True,
    )


@case("batch_dot/3f8c4647", profile="contrast")
def fast():
    return dict(
        lhs=tensor((12, 128, 64), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((12, 128, 64), "float32", uniform(-1.0, 1.0)),
        transpose_b=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=3.25, threads=1))
