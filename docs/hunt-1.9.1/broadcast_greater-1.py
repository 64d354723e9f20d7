"""broadcast_greater, forward, on MXNet 1.9.1: 3.08 times as slow as a neighbour that does equal work.

slow       72.4 us a call, where 23.4 us were expected
fast       23.4 us a call
step       int64: as many elements, 4 times the bytes
ratio      3.08 times, 95% interval 2.74 to 3.10, with 1 thread
family     float16, and the last dimension of rhs is at most 58
neighbour  3.08 times: int64: as many elements, 4 times the bytes
roofline   4.58 times: this machine can move and compute as much in that time

Measure it again: python broadcast_greater-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_greater",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_greater/1122ecbe", profile="finding")
def slow():
    return dict(
        lhs=tensor((8192,), "float16", integers(0, 4)),
        rhs=tensor((1,), "float16", integers(0, 4)),
    )


@case("broadcast_greater/da98cf62", profile="contrast")
def fast():
    return dict(
        lhs=tensor((8192,), "int64", integers(0, 4)),
        rhs=tensor((1,), "int64", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.75, threads=1))
