"""batch_dot, forward, on MXNet 1.9.1: 2.49 times as slow as a neighbour that does equal work.

slow       51.8 us a call, where 20.9 us were expected
fast       13.9 us a call
step       rhs.shape[0] of 1 and rhs.shape[2] of 1,024
ratio      2.49 times, 95% interval 2.44 to 2.53, with 1 thread
family     dimension -3 of lhs is 1,024 times the last dimension but one of lhs or more, and the first
           dimension of lhs is 1,024 or more
also       backward, 2.21 times
neighbour  2.49 times: rhs.shape[0] of 1 and rhs.shape[2] of 1,024
model      1.39 times: half of 56 other inputs lie within a factor of 1.17 of it
roofline   4.49 times: this machine can move and compute as much in that time

Measure it again: python batch_dot-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.36 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="batch_dot",
    category="gemm",
    mxnet="1.9.1",
    seed=5,
)


@case("batch_dot/c415f85c", profile="finding")
def slow():
    return dict(
        lhs=tensor((1024, 1, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1024, 1, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("batch_dot/c5dcdbd7", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1, 1, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 1, 1024), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.36, threads=1))
