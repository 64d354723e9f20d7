"""broadcast_lesser, forward, on MXNet 1.9.1: 4.34 times as slow as a neighbour that does equal work.

slow       118 us a call, where 26.8 us were expected
fast       26.8 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.34 times, 95% interval 3.78 to 4.50, with 1 thread
family     float16
neighbour  4.34 times: float32: as many elements, 2 times the bytes
roofline   7.48 times: this machine can move and compute as much in that time

Measure it again: python broadcast_lesser-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.08 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_lesser",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_lesser/89a3ff85", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 1), "float16", integers(0, 4)),
        rhs=tensor((1, 256), "float16", integers(0, 4)),
    )


@case("broadcast_lesser/dacf43d8", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 1), "float32", integers(0, 4)),
        rhs=tensor((1, 256), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.08, threads=1))
