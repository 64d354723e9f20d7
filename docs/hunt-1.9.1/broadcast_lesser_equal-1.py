"""broadcast_lesser_equal, forward, on MXNet 1.9.1: 2.91 times as slow as a neighbour that does equal work.

slow       190 us a call, where 65.7 us were expected
fast       65.7 us a call
step       int32: as many elements, 2 times the bytes
ratio      2.91 times, 95% interval 2.85 to 3.08, with 1 thread
family     float16
neighbour  2.91 times: int32: as many elements, 2 times the bytes
model      7.15 times: half of 17 other inputs lie within a factor of 1.37 of it
roofline   12.0 times: this machine can move and compute as much in that time

Measure it again: python broadcast_lesser_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.7 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_lesser_equal",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_lesser_equal/c8c8b555", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 1), "float16", integers(0, 4)),
        rhs=tensor((1, 256), "float16", integers(0, 4)),
    )


@case("broadcast_lesser_equal/2e2021b5", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 1), "int32", integers(0, 4)),
        rhs=tensor((1, 256), "int32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.7, threads=1))
