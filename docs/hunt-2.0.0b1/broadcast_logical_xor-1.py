"""broadcast_logical_xor, forward, on MXNet 2.0.0b1: 5.91 times as slow as a neighbour that does equal work.

slow       144 us a call, where 17.3 us were expected
fast       17.3 us a call
step       lhs.shape[0] of 1 and lhs.shape[1] of 16,384
ratio      5.91 times, 95% interval 4.71 to 7.06, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  5.91 times: lhs.shape[0] of 1 and lhs.shape[1] of 16,384
roofline   10.6 times: this machine can move and compute as much in that time

Measure it again: python broadcast_logical_xor-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_logical_xor",
    category="logical",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_logical_xor/11f3d384", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 256), "float32", mask(0.5)),
        rhs=tensor((1, 256), "float32", mask(0.5)),
    )


@case("broadcast_logical_xor/37a6d7bf", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1, 16384), "float32", mask(0.5)),
        rhs=tensor((1, 16384), "float32", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.43, threads=1))
