"""MakeLoss, backward: 2.19 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       367 us a call, where 161 us were expected
fast       161 us a call
step       the same input on MXNet 1.9.1
ratio      2.19 times, 95% interval 2.08 to 2.30, with 1 thread
family     a dtype other than float16
side       2.19 times: the same input on MXNet 1.9.1
roofline   19.8 times: this machine can move and compute as much in that time
forward    6.68 times: the forward pass of the same input

Measure it again: python MakeLoss-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.48 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="MakeLoss",
    category="loss",
    mxnet="2.0.0b1",
    seed=0,
)


@case("MakeLoss/3828192a", profile="finding")
def both():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
        normalization="valid",
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.48, threads=1, sides=sides))
