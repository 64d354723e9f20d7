"""broadcast_equal, forward, on MXNet 2.0.0b1: 4.87 times as slow as a neighbour that does equal work.

slow       92.0 us a call, where 18.5 us were expected
fast       18.5 us a call
step       rhs.shape[0] of 128
ratio      4.87 times, 95% interval 4.58 to 5.16, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.87 times: rhs.shape[0] of 128
roofline   6.01 times: this machine can move and compute as much in that time

Measure it again: python broadcast_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.21 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_equal",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_equal/1567ad45", profile="finding")
def slow():
    return dict(
        lhs=tensor((128, 256), "float32", integers(0, 4)),
        rhs=tensor((1, 256), "float32", integers(0, 4)),
    )


@case("broadcast_equal/d0c95bb4", profile="contrast")
def fast():
    return dict(
        lhs=tensor((128, 256), "float32", integers(0, 4)),
        rhs=tensor((128, 256), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.21, threads=1))
