"""broadcast_logical_or, forward: 3.38 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       262 us a call, where 66.0 us were expected
fast       66.0 us a call
step       the same input on MXNet 1.9.1
ratio      3.38 times, 95% interval 2.91 to 3.78, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       3.38 times: the same input on MXNet 1.9.1
roofline   13.9 times: this machine can move and compute as much in that time

Measure it again: python broadcast_logical_or-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.84 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_logical_or",
    category="logical",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_logical_or/99bdc421", profile="finding")
def both():
    return dict(
        lhs=tensor((36188,), "float32", mask(0.5)),
        rhs=tensor((1,), "float32", mask(0.5)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.84, threads=1, sides=sides))
