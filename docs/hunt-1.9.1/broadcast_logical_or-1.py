"""broadcast_logical_or, forward, on MXNet 1.9.1: 3.08 times as slow as a neighbour that does equal work.

slow       211 us a call, where 59.2 us were expected
fast       59.2 us a call
step       int64: as many elements, 2 times the bytes
ratio      3.08 times, 95% interval 2.46 to 3.71, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.08 times: int64: as many elements, 2 times the bytes
roofline   11.5 times: this machine can move and compute as much in that time

Measure it again: python broadcast_logical_or-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_logical_or",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_logical_or/18bf47ae", profile="finding")
def slow():
    return dict(
        lhs=tensor((1, 1), "float32", mask(0.5)),
        rhs=tensor((4096, 8), "float32", mask(0.5)),
    )


@case("broadcast_logical_or/0f071137", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1, 1), "int64", mask(0.5)),
        rhs=tensor((4096, 8), "int64", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.75, threads=1))
