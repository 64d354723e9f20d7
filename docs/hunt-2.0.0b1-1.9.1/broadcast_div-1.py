"""broadcast_div, forward: 4.55 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       96.0 us a call, where 20.6 us were expected
fast       20.6 us a call
step       the same input on MXNet 1.9.1
ratio      4.55 times, 95% interval 4.04 to 5.09, with 1 thread
family     every input
side       4.55 times: the same input on MXNet 1.9.1
roofline   6.38 times: this machine can move and compute as much in that time

Measure it again: python broadcast_div-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.13 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_div",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_div/65085422", profile="finding")
def both():
    return dict(
        lhs=tensor((1,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1024,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.13, threads=1, sides=sides))
