"""broadcast_lesser, forward, on MXNet 2.0.0b1: 4.62 times as slow as a neighbour that does equal work.

slow       164 us a call, where 35.6 us were expected
fast       35.6 us a call
step       rhs.shape[1] of 1,024
ratio      4.62 times, 95% interval 4.47 to 4.68, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.62 times: rhs.shape[1] of 1,024
roofline   6.49 times: this machine can move and compute as much in that time

Measure it again: python broadcast_lesser-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.15 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_lesser",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_lesser/f3af663c", profile="finding")
def slow():
    return dict(
        lhs=tensor((128, 1024), "float32", integers(0, 4)),
        rhs=tensor((128, 1), "float32", integers(0, 4)),
    )


@case("broadcast_lesser/4518c35a", profile="contrast")
def fast():
    return dict(
        lhs=tensor((128, 1024), "float32", integers(0, 4)),
        rhs=tensor((128, 1024), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.15, threads=1))
