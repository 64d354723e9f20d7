"""batch_dot, forward, on MXNet 1.9.1: 1.94 times as slow as a neighbour that does equal work.

slow       47,068 us a call, where 24,200 us were expected
fast       12,100 us a call
step       float32: as many elements, half the bytes
ratio      1.94 times, 95% interval 1.62 to 2.38, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.94 times: float32: as many elements, half the bytes
model      5.23 times: half of 56 other inputs lie within a factor of 1.16 of it
roofline   5.99 times: this machine can move and compute as much in that time

Measure it again: python batch_dot-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.78 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="batch_dot",
    category="gemm",
    mxnet="1.9.1",
    seed=5,
)


@case("batch_dot/6029260c", profile="finding")
def slow():
    return dict(
        lhs=tensor((2, 7, 9, 33331), "float64", uniform(-1.0, 1.0)),
        rhs=tensor((2, 7, 9, 15), "float64", uniform(-1.0, 1.0)),
        transpose_a=True,
    )


@case("batch_dot/eca3cb13", profile="contrast")
def fast():
    return dict(
        lhs=tensor((2, 7, 9, 33331), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((2, 7, 9, 15), "float32", uniform(-1.0, 1.0)),
        transpose_a=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.78, threads=1))
