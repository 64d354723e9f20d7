"""broadcast_not_equal, forward, on MXNet 2.0.0b1: 4.77 times as slow as a neighbour that does equal work.

slow       157 us a call, where 29.9 us were expected
fast       29.9 us a call
step       rhs.shape[0] of 128
ratio      4.77 times, 95% interval 4.21 to 5.42, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.77 times: rhs.shape[0] of 128
roofline   10.2 times: this machine can move and compute as much in that time

Measure it again: python broadcast_not_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.18 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_not_equal",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_not_equal/e194da6e", profile="finding")
def slow():
    return dict(
        lhs=tensor((128, 256), "float32", integers(0, 4)),
        rhs=tensor((1, 256), "float32", integers(0, 4)),
    )


@case("broadcast_not_equal/5b163afb", profile="contrast")
def fast():
    return dict(
        lhs=tensor((128, 256), "float32", integers(0, 4)),
        rhs=tensor((128, 256), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.18, threads=1))
