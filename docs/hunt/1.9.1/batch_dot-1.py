"""batch_dot, forward, on MXNet 1.9.1: 3.71 times as slow as a neighbour that does equal work.

slow       115 us a call, where 31.1 us were expected
fast       20.7 us a call
step       rhs.shape[0] of 1 and rhs.shape[2] of 1,024
ratio      3.71 times, 95% interval 3.62 to 3.81, with 1 thread
family     lhs.shape[1] <= 1 and rhs.shape[2] <= 1
neighbour  3.70 times: rhs.shape[0] of 1 and rhs.shape[2] of 1,024 takes 27% of the time
model      2.37 times: half of 26 other inputs lie within a factor of 1.08 of it
roofline   6.52 times: this machine can move and compute as much in that time

Measure it again: python batch_dot-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.89 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="batch_dot",
    category="gemm",
    mxnet="1.9.1",
    seed=1,
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.89, threads=1))
