"""batch_dot, backward, on MXNet 2.0.0b1: 1.92 times as slow as a neighbour that does equal work.

slow       265 us a call, where 138 us were expected
fast       84.3 us a call
step       lhs.shape[0] of 56 and lhs.shape[1] of 32
ratio      1.92 times, 95% interval 1.83 to 1.98, with 1 thread
family     the first dimension of lhs is 894 or more, and 2,688 elements or more
also       forward, 2.00 times
neighbour  1.92 times: lhs.shape[0] of 56 and lhs.shape[1] of 32
model      3.16 times: half of 57 other inputs lie within a factor of 1.19 of it
roofline   21.2 times: this machine can move and compute as much in that time
forward    2.55 times: the forward pass of the same input

Measure it again: python batch_dot-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.26 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="batch_dot",
    category="gemm",
    mxnet="2.0.0b1",
    seed=5,
)


@case("batch_dot/7cd2c50c", profile="finding")
def slow():
    return dict(
        lhs=tensor((1792, 1, 2), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1792, 2, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("batch_dot/d607175c", profile="contrast")
def fast():
    return dict(
        lhs=tensor((56, 32, 2), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((56, 2, 1), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.26, threads=1))
