"""_contrib_AdaptiveAvgPooling2D, backward: 7.28 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       252 us a call, where 50.9 us were expected
fast       50.9 us a call
step       the same input on MXNet 1.9.1
ratio      7.28 times, 95% interval 4.95 to 9.34, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       7.28 times: the same input on MXNet 1.9.1
roofline   20.3 times: this machine can move and compute as much in that time
forward    4.63 times: the forward pass of the same input

Measure it again: python _contrib_AdaptiveAvgPooling2D-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.7 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_AdaptiveAvgPooling2D",
    category="pooling",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_AdaptiveAvgPooling2D/534371eb", profile="finding")
def both():
    return dict(
        data=tensor((1, 16, 32, 26), "float32", uniform(-1.0, 1.0)),
        output_size=(1,),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=2.7, threads=1, sides=sides))
