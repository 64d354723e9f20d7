"""batch_dot, forward, on MXNet 2.0.0b1: 2.04 times as slow as a neighbour that does equal work.

slow       364 us a call, where 176 us were expected
fast       88.0 us a call
step       float32: as many elements, half the bytes
ratio      2.04 times, 95% interval 1.97 to 2.11, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.04 times: float32: as many elements, half the bytes
model      3.95 times: half of 57 other inputs lie within a factor of 1.23 of it
roofline   1.94 times: this machine can move and compute as much in that time

Measure it again: python batch_dot-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.86 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="batch_dot",
    category="gemm",
    mxnet="2.0.0b1",
    seed=5,
)


@case("batch_dot/3e56b1d9", profile="finding")
def slow():
    return dict(
        lhs=tensor((1, 126, 126), "float64", uniform(-1.0, 1.0)),
        rhs=tensor((1, 126, 126), "float64", uniform(-1.0, 1.0)),
    )


@case("batch_dot/e0497b9d", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1, 126, 126), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 126, 126), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.86, threads=1))
