"""broadcast_sub, forward, on MXNet 1.9.1: 3.81 times as slow as a neighbour that does equal work.

slow       72.7 us a call, where 19.9 us were expected
fast       19.9 us a call
step       int64: as many elements, 4 times the bytes
ratio      3.81 times, 95% interval 3.42 to 3.97, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.81 times: int64: as many elements, 4 times the bytes
roofline   4.63 times: this machine can move and compute as much in that time

Measure it again: python broadcast_sub-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.95 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_sub",
    category="broadcast",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_sub/00704dc1", profile="finding")
def slow():
    return dict(
        lhs=tensor((625, 1), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((625, 10), "float16", uniform(-1.0, 1.0)),
    )


@case("broadcast_sub/f3f71cb9", profile="contrast")
def fast():
    return dict(
        lhs=tensor((625, 1), "int64", uniform(-1.0, 1.0)),
        rhs=tensor((625, 10), "int64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.95, threads=1))
