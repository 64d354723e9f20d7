"""broadcast_mul, backward, on MXNet 2.0.0b1: 11.0 times as slow as a neighbour that does equal work.

slow       700 us a call, where 64.0 us were expected
fast       64.0 us a call
step       rhs.shape[0] of 128
ratio      11.0 times, 95% interval 10.6 to 11.3, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  11.0 times: rhs.shape[0] of 128
roofline   45.7 times: this machine can move and compute as much in that time
forward    15.9 times: the forward pass of the same input
kin        1.84 times: broadcast_add of the same input

Measure it again: python broadcast_mul-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.31 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_mul",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_mul/262d1d74", profile="finding")
def slow():
    return dict(
        lhs=tensor((128, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
    )


@case("broadcast_mul/81ea2f22", profile="contrast")
def fast():
    return dict(
        lhs=tensor((128, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((128, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=3.31, threads=1))
