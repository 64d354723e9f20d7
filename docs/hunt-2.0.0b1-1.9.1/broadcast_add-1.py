"""broadcast_add, forward: 10.2 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       174 us a call, where 16.1 us were expected
fast       16.1 us a call
step       the same input on MXNet 1.9.1
ratio      10.2 times, 95% interval 8.53 to 11.1, with 1 thread
family     every input
side       10.2 times: the same input on MXNet 1.9.1
roofline   11.3 times: this machine can move and compute as much in that time

Measure it again: python broadcast_add-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 3.19 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_add",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_add/af15db7b", profile="finding")
def both():
    return dict(
        lhs=tensor((1,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=3.19, threads=1, sides=sides))
