"""broadcast_div, forward: 10.5 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       169 us a call, where 16.0 us were expected
fast       16.0 us a call
step       the same input on MXNet 1.9.1
ratio      10.5 times, 95% interval 10.2 to 10.8, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       10.5 times: the same input on MXNet 1.9.1
roofline   13.8 times: this machine can move and compute as much in that time

Measure it again: python broadcast_div-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 3.24 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_div",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_div/28d56cdd", profile="finding")
def both():
    return dict(
        lhs=tensor((1,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=3.24, threads=1, sides=sides))
