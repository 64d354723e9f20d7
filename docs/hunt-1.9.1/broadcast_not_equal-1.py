"""broadcast_not_equal, forward, on MXNet 1.9.1: 4.36 times as slow as a neighbour that does equal work.

slow       130 us a call, where 28.8 us were expected
fast       28.8 us a call
step       int64: as many elements, 4 times the bytes
ratio      4.36 times, 95% interval 4.16 to 4.65, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.36 times: int64: as many elements, 4 times the bytes
roofline   10.5 times: this machine can move and compute as much in that time

Measure it again: python broadcast_not_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.09 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_not_equal",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_not_equal/0dd0ad59", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 256), "float16", integers(0, 4)),
        rhs=tensor((1, 256), "float16", integers(0, 4)),
    )


@case("broadcast_not_equal/ccb7bb6f", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 256), "int64", integers(0, 4)),
        rhs=tensor((1, 256), "int64", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.09, threads=1))
