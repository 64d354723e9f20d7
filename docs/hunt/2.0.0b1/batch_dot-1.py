"""batch_dot, forward, on MXNet 2.0.0b1: 5.68 times as slow as a neighbour that does equal work.

slow       320 us a call, where 55.1 us were expected
fast       37.0 us a call
step       rhs.shape[0] of 64 and rhs.shape[2] of 64
ratio      5.68 times, 95% interval 5.53 to 5.82, with 1 thread
family     lhs.shape[1] <= 2 and rhs.shape[2] <= 1
neighbour  5.80 times: rhs.shape[0] of 64 and rhs.shape[2] of 64 takes 17% of the time
model      3.51 times: half of 26 other inputs lie within a factor of 1.19 of it
roofline   16.1 times: this machine can move and compute as much in that time

Measure it again: python batch_dot-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="batch_dot",
    category="gemm",
    mxnet="2.0.0b1",
    seed=1,
)


@case("batch_dot/6aa364a3", profile="finding")
def slow():
    return dict(
        lhs=tensor((4096, 1, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((4096, 1, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("batch_dot/ebb52aa4", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 1, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((64, 1, 64), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.55, threads=1))
