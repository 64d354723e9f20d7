"""_npi_tensordot_int_axes, forward: 2.39 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       1,137 us a call, where 456 us were expected
fast       456 us a call
step       the same input on MXNet 1.9.1
ratio      2.39 times, 95% interval 2.24 to 2.54, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.39 times: the same input on MXNet 1.9.1
roofline   3.54 times: this machine can move and compute as much in that time

Measure it again: python _npi_tensordot_int_axes-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.55 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_tensordot_int_axes",
    category="gemm",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_tensordot_int_axes/1719e4e0", profile="finding")
def both():
    return dict(
        a=tensor((512, 256, 2), "float32", uniform(-1.0, 1.0)),
        b=tensor((256, 2, 60), "float32", uniform(-1.0, 1.0)),
        axes=2,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.55, threads=1, sides=sides))
