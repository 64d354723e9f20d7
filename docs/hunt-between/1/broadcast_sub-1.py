"""broadcast_sub, forward: 10.4 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       167 us a call, where 16.0 us were expected
fast       16.0 us a call
step       the same input on MXNet 1.9.1
ratio      10.4 times, 95% interval 9.95 to 10.7, with 1 thread
family     float32
side       10.4 times: the same input on MXNet 1.9.1
roofline   10.9 times: this machine can move and compute as much in that time

Measure it again: python broadcast_sub-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 3.22 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_sub",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_sub/a582972c", profile="finding")
def both():
    return dict(
        lhs=tensor((1, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((512, 8), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=3.22, threads=1, sides=sides))
