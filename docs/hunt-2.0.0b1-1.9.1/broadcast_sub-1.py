"""broadcast_sub, forward: 8.30 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       121 us a call, where 14.4 us were expected
fast       14.4 us a call
step       the same input on MXNet 1.9.1
ratio      8.30 times, 95% interval 8.16 to 8.46, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       8.30 times: the same input on MXNet 1.9.1
roofline   10.1 times: this machine can move and compute as much in that time

Measure it again: python broadcast_sub-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.88 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_sub",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_sub/3fbbc003", profile="finding")
def both():
    return dict(
        lhs=tensor((1,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((2816,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.88, threads=1, sides=sides))
