"""broadcast_minimum, backward: 2.98 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       309 us a call, where 114 us were expected
fast       114 us a call
step       the same input on MXNet 1.9.1
ratio      2.98 times, 95% interval 2.71 to 3.30, with 1 thread
family     the last dimension of lhs is 13,364 or more, and a dtype other than float16
side       2.98 times: the same input on MXNet 1.9.1
roofline   19.6 times: this machine can move and compute as much in that time
forward    3.39 times: the forward pass of the same input

Measure it again: python broadcast_minimum-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.73 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_minimum",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_minimum/3d65a031", profile="finding")
def both():
    return dict(
        lhs=tensor((26728,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((26728,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.73, threads=1, sides=sides))
