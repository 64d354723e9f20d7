"""Deconvolution, backward: 2.38 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       3,108 us a call, where 1,313 us were expected
fast       1,313 us a call
step       the same input on MXNet 1.9.1
ratio      2.38 times, 95% interval 2.30 to 2.46, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.38 times: the same input on MXNet 1.9.1
roofline   10.4 times: this machine can move and compute as much in that time
forward    1.83 times: the forward pass of the same input

Measure it again: python Deconvolution-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.54 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Deconvolution",
    category="convolution",
    mxnet="2.0.0b1",
    seed=0,
)


@case("Deconvolution/3bff9ce6", profile="finding")
def both():
    return dict(
        data=tensor((8, 100, 1, 1), "float64", uniform(-1.0, 1.0)),
        weight=tensor((100, 256, 4, 4), "float64", uniform(-1.0, 1.0)),
        kernel=(4, 4),
        num_filter=256,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.54, threads=1, sides=sides))
