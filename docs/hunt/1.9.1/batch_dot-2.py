"""batch_dot, backward, on MXNet 1.9.1: 3.53 times as slow as a neighbour that does equal work.

slow       462 us a call, where 131 us were expected
fast       87.5 us a call
step       rhs.shape[0] of 1 and rhs.shape[2] of 2,048
ratio      3.53 times, 95% interval 3.47 to 3.59, with 1 thread
family     lhs.shape[1] <= 2 and rhs.shape[2] <= 2
neighbour  3.52 times: rhs.shape[0] of 1 and rhs.shape[2] of 2,048 takes 28% of the time
model      4.55 times: half of 26 other inputs lie within a factor of 1.06 of it
roofline   25.5 times: this machine can move and compute as much in that time
forward    2.02 times: the forward pass of the same input

Measure it again: python batch_dot-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.82 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="batch_dot",
    category="gemm",
    mxnet="1.9.1",
    seed=1,
)


@case("batch_dot/a5379b96", profile="finding")
def slow():
    return dict(
        lhs=tensor((2048, 1, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((2048, 1, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("batch_dot/fab3c733", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1, 1, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 1, 2048), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.82, threads=1))
