"""broadcast_equal, forward, on MXNet 1.9.1: 3.07 times as slow as a neighbour that does equal work.

slow       403 us a call, where 129 us were expected
fast       129 us a call
step       int64: as many elements, 2 times the bytes
ratio      3.07 times, 95% interval 2.79 to 3.16, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.07 times: int64: as many elements, 2 times the bytes
roofline   16.4 times: this machine can move and compute as much in that time

Measure it again: python broadcast_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_equal",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_equal/4688faaf", profile="finding")
def slow():
    return dict(
        lhs=tensor((10000, 1), "float32", integers(0, 4)),
        rhs=tensor((10000, 10), "float32", integers(0, 4)),
    )


@case("broadcast_equal/8a4af361", profile="contrast")
def fast():
    return dict(
        lhs=tensor((10000, 1), "int64", integers(0, 4)),
        rhs=tensor((10000, 10), "int64", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.75, threads=1))
