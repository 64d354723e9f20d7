"""broadcast_logical_and, forward: 4.32 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       478 us a call, where 107 us were expected
fast       107 us a call
step       the same input on MXNet 1.9.1
ratio      4.32 times, 95% interval 3.93 to 4.52, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       4.32 times: the same input on MXNet 1.9.1
roofline   26.1 times: this machine can move and compute as much in that time

Measure it again: python broadcast_logical_and-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.08 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_logical_and",
    category="logical",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_logical_and/c1958820", profile="finding")
def both():
    return dict(
        lhs=tensor((65537,), "float32", mask(0.5)),
        rhs=tensor((1,), "float32", mask(0.5)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.08, threads=1, sides=sides))
