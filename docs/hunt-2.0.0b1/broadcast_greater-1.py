"""broadcast_greater, forward, on MXNet 2.0.0b1: 3.93 times as slow as a neighbour that does equal work.

slow       105 us a call, where 26.7 us were expected
fast       26.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.93 times, 95% interval 3.87 to 3.97, with 1 thread
family     float16
neighbour  3.93 times: float32: as many elements, 2 times the bytes
roofline   8.43 times: this machine can move and compute as much in that time

Measure it again: python broadcast_greater-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.98 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_greater",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_greater/8f79f558", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 1), "float16", integers(0, 4)),
        rhs=tensor((1, 256), "float16", integers(0, 4)),
    )


@case("broadcast_greater/424ba15a", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 1), "float32", integers(0, 4)),
        rhs=tensor((1, 256), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.98, threads=1))
