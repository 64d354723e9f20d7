"""_npi_tensordot_int_axes, forward: 2.19 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       2,152 us a call, where 1,057 us were expected
fast       1,057 us a call
step       the same input on MXNet 1.9.1
ratio      2.19 times, 95% interval 2.09 to 2.32, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.19 times: the same input on MXNet 1.9.1
roofline   2.27 times: this machine can move and compute as much in that time

Measure it again: python _npi_tensordot_int_axes-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.48 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_tensordot_int_axes",
    category="gemm",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_tensordot_int_axes/223ecd53", profile="finding")
def both():
    return dict(
        a=tensor((128, 32, 64), "float32", uniform(-1.0, 1.0)),
        b=tensor((32, 64, 128), "float32", uniform(-1.0, 1.0)),
        axes=2,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.48, threads=1, sides=sides))
