"""Deconvolution, backward: 1.94 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       674 us a call, where 327 us were expected
fast       327 us a call
step       the same input on MXNet 1.9.1
ratio      1.94 times, 95% interval 1.79 to 2.10, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       1.94 times: the same input on MXNet 1.9.1
roofline   5.84 times: this machine can move and compute as much in that time
forward    3.05 times: the forward pass of the same input

Measure it again: python Deconvolution-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.39 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Deconvolution",
    category="convolution",
    mxnet="2.0.0b1",
    seed=0,
)


@case("Deconvolution/4566a08b", profile="finding")
def both():
    return dict(
        data=tensor((8, 100, 1, 1), "float64", uniform(-1.0, 1.0)),
        weight=tensor((100, 251, 1, 2), "float64", uniform(-1.0, 1.0)),
        kernel=(1, 2),
        num_filter=251,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.39, threads=1, sides=sides))
