"""LeakyReLU, backward: 3.17 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       409 us a call, where 116 us were expected
fast       116 us a call
step       the same input on MXNet 1.9.1
ratio      3.17 times, 95% interval 2.39 to 3.77, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       3.17 times: the same input on MXNet 1.9.1
roofline   16.5 times: this machine can move and compute as much in that time
forward    1.24 times: the forward pass of the same input

Measure it again: python LeakyReLU-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.78 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LeakyReLU",
    category="activation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("LeakyReLU/34ecbf8b", profile="finding")
def both():
    return dict(
        data=tensor((64, 1024), "float64", uniform(-1.0, 1.0)),
        act_type="leaky",
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.78, threads=1, sides=sides))
