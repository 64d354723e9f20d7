"""_npi_tensordot, backward: 1.91 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       150 us a call, where 78.7 us were expected
fast       78.7 us a call
step       the same input on MXNet 1.9.1
ratio      1.91 times, 95% interval 1.83 to 1.96, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       1.91 times: the same input on MXNet 1.9.1
roofline   12.5 times: this machine can move and compute as much in that time
forward    1.56 times: the forward pass of the same input

Measure it again: python _npi_tensordot-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.38 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_tensordot",
    category="gemm",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_tensordot/c529a4db", profile="finding")
def both():
    return dict(
        a=tensor((1, 1, 64, 64), "float32", uniform(-1.0, 1.0)),
        b=tensor((64, 1), "float32", uniform(-1.0, 1.0)),
        a_axes_summed=(3, 1),
        b_axes_summed=(0, 1),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.38, threads=1, sides=sides))
