"""batch_dot, forward, on MXNet 1.9.1: 1.97 times as slow as a neighbour that does equal work.

slow       36,546 us a call, where 18,099 us were expected
fast       9,050 us a call
step       lhs.shape[0] of 2
ratio      1.97 times, 95% interval 1.62 to 2.47, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.97 times: lhs.shape[0] of 2
model      2.73 times: half of 56 other inputs lie within a factor of 1.16 of it
roofline   4.65 times: this machine can move and compute as much in that time

Measure it again: python batch_dot-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.81 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="batch_dot",
    category="gemm",
    mxnet="1.9.1",
    seed=5,
)


@case("batch_dot/e84ec4ab", profile="finding")
def slow():
    return dict(
        lhs=tensor((4, 7, 9, 33331), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((4, 7, 9, 15), "float32", uniform(-1.0, 1.0)),
        transpose_a=True,
        transpose_b=False,
    )


@case("batch_dot/bfe33eba", profile="contrast")
def fast():
    return dict(
        lhs=tensor((2, 7, 9, 33331), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((2, 7, 9, 15), "float32", uniform(-1.0, 1.0)),
        transpose_a=True,
        transpose_b=False,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.81, threads=1))
