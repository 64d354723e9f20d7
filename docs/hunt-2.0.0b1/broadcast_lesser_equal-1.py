"""broadcast_lesser_equal, forward, on MXNet 2.0.0b1: 3.93 times as slow as a neighbour that does equal work.

slow       138 us a call, where 35.4 us were expected
fast       35.4 us a call
step       rhs.shape[1] of 1,024
ratio      3.93 times, 95% interval 3.83 to 4.09, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.93 times: rhs.shape[1] of 1,024
roofline   5.48 times: this machine can move and compute as much in that time

Measure it again: python broadcast_lesser_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.98 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_lesser_equal",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_lesser_equal/8b000440", profile="finding")
def slow():
    return dict(
        lhs=tensor((128, 1024), "float32", integers(0, 4)),
        rhs=tensor((128, 1), "float32", integers(0, 4)),
    )


@case("broadcast_lesser_equal/2e5ac656", profile="contrast")
def fast():
    return dict(
        lhs=tensor((128, 1024), "float32", integers(0, 4)),
        rhs=tensor((128, 1024), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.98, threads=1))
