"""broadcast_logical_xor, forward, on MXNet 1.9.1: 3.84 times as slow as a neighbour that does equal work.

slow       89.6 us a call, where 22.1 us were expected
fast       22.1 us a call
step       int64: as many elements, 4 times the bytes
ratio      3.84 times, 95% interval 3.45 to 4.27, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.84 times: int64: as many elements, 4 times the bytes
roofline   5.70 times: this machine can move and compute as much in that time

Measure it again: python broadcast_logical_xor-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.96 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_logical_xor",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_logical_xor/4c203155", profile="finding")
def slow():
    return dict(
        lhs=tensor((24, 256), "float16", mask(0.5)),
        rhs=tensor((1, 256), "float16", mask(0.5)),
    )


@case("broadcast_logical_xor/90cab196", profile="contrast")
def fast():
    return dict(
        lhs=tensor((24, 256), "int64", mask(0.5)),
        rhs=tensor((1, 256), "int64", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.96, threads=1))
