"""batch_dot, backward, on MXNet 2.0.0b1: 2.92 times as slow as a neighbour that does equal work.

slow       1,300 us a call, where 458 us were expected
fast       305 us a call
step       lhs.shape[0] of 1 and lhs.shape[1] of 16,384
ratio      2.92 times, 95% interval 2.59 to 5.02, with 1 thread
family     lhs.shape[0] > 1 and lhs.shape[1] < 16,384 and rhs.shape[0] > 1
neighbour  2.84 times: lhs.shape[0] of 1 and lhs.shape[1] of 16,384 takes 35% of the time
model      4.33 times: half of 26 other inputs lie within a factor of 1.15 of it
roofline   27.5 times: this machine can move and compute as much in that time
forward    3.02 times: the forward pass of the same input

Measure it again: python batch_dot-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="batch_dot",
    category="gemm",
    mxnet="2.0.0b1",
    seed=1,
)


@case("batch_dot/78979126", profile="finding")
def slow():
    return dict(
        lhs=tensor((4096, 4, 4), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((4096, 4, 4), "float32", uniform(-1.0, 1.0)),
    )


@case("batch_dot/a67f741d", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1, 16384, 4), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 4, 4), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.56, threads=1))
