"""broadcast_logical_or, forward, on MXNet 2.0.0b1: 10.4 times as slow as a neighbour that does equal work.

slow       211 us a call, where 18.6 us were expected
fast       18.6 us a call
step       rhs.shape[0] of 128
ratio      10.4 times, 95% interval 9.41 to 11.3, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  10.4 times: rhs.shape[0] of 128
roofline   13.8 times: this machine can move and compute as much in that time

Measure it again: python broadcast_logical_or-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.23 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_logical_or",
    category="logical",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_logical_or/a3219251", profile="finding")
def slow():
    return dict(
        lhs=tensor((128, 256), "float32", mask(0.5)),
        rhs=tensor((1, 256), "float32", mask(0.5)),
    )


@case("broadcast_logical_or/2f128bd3", profile="contrast")
def fast():
    return dict(
        lhs=tensor((128, 256), "float32", mask(0.5)),
        rhs=tensor((128, 256), "float32", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.23, threads=1))
