"""broadcast_add, forward: 8.10 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       172 us a call, where 20.6 us were expected
fast       20.6 us a call
step       the same input on MXNet 1.9.1
ratio      8.10 times, 95% interval 7.78 to 8.40, with 1 thread
family     every input
side       8.10 times: the same input on MXNet 1.9.1
roofline   14.3 times: this machine can move and compute as much in that time

Measure it again: python broadcast_add-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.85 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_add",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_add/c4d40341", profile="finding")
def both():
    return dict(
        lhs=tensor((1,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((2048,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.85, threads=1, sides=sides))
