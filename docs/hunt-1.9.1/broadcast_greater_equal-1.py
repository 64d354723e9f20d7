"""broadcast_greater_equal, forward, on MXNet 1.9.1: 3.52 times as slow as a neighbour that does equal work.

slow       168 us a call, where 44.8 us were expected
fast       44.8 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.52 times, 95% interval 3.20 to 3.89, with 1 thread
family     float16
neighbour  3.52 times: float32: as many elements, 2 times the bytes
model      5.21 times: half of 23 other inputs lie within a factor of 1.13 of it
roofline   10.6 times: this machine can move and compute as much in that time

Measure it again: python broadcast_greater_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.88 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_greater_equal",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_greater_equal/4b2ebf9a", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 1), "float16", integers(0, 4)),
        rhs=tensor((1, 256), "float16", integers(0, 4)),
    )


@case("broadcast_greater_equal/0d088d74", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 1), "float32", integers(0, 4)),
        rhs=tensor((1, 256), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.88, threads=1))
