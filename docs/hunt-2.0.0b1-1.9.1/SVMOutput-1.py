"""SVMOutput, backward: 2.80 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       480 us a call, where 167 us were expected
fast       167 us a call
step       the same input on MXNet 1.9.1
ratio      2.80 times, 95% interval 2.64 to 2.94, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.80 times: the same input on MXNet 1.9.1
roofline   19.4 times: this machine can move and compute as much in that time
forward    5.58 times: the forward pass of the same input

Measure it again: python SVMOutput-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.67 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SVMOutput",
    category="loss",
    mxnet="2.0.0b1",
    seed=0,
)


@case("SVMOutput/47833900", profile="finding")
def both():
    return dict(
        data=tensor((2047, 63), "float32", uniform(-1.0, 1.0)),
        label=tensor((2047,), "float32", integers(0, 63)),
        margin=0.5,
        regularization_coefficient=2.0,
        use_linear=True,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.67, threads=1, sides=sides))
