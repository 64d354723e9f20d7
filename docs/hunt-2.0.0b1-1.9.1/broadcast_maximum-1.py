"""broadcast_maximum, backward: 2.58 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       436 us a call, where 172 us were expected
fast       172 us a call
step       the same input on MXNet 1.9.1
ratio      2.58 times, 95% interval 2.45 to 2.71, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.58 times: the same input on MXNet 1.9.1
roofline   26.1 times: this machine can move and compute as much in that time
forward    5.70 times: the forward pass of the same input

Measure it again: python broadcast_maximum-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.61 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_maximum",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_maximum/02e4b148", profile="finding")
def both():
    return dict(
        lhs=tensor((32768,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.61, threads=1, sides=sides))
