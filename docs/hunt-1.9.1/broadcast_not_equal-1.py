"""broadcast_not_equal, forward, on MXNet 1.9.1: 4.29 times as slow as a neighbour that does equal work.

slow       118 us a call, where 27.6 us were expected
fast       27.6 us a call
step       int64: as many elements, 4 times the bytes
ratio      4.29 times, 95% interval 4.25 to 4.34, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  4.29 times: int64: as many elements, 4 times the bytes
roofline   7.48 times: this machine can move and compute as much in that time

Measure it again: python broadcast_not_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.07 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_not_equal",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_not_equal/b14cbbf3", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 1), "float16", integers(0, 4)),
        rhs=tensor((1, 256), "float16", integers(0, 4)),
    )


@case("broadcast_not_equal/37635186", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 1), "int64", integers(0, 4)),
        rhs=tensor((1, 256), "int64", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.07, threads=1))
