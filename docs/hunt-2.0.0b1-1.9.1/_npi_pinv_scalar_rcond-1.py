"""_npi_pinv_scalar_rcond, forward: 3.63 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       110 us a call, where 27.5 us were expected
fast       27.5 us a call
step       the same input on MXNet 1.9.1
ratio      3.63 times, 95% interval 3.27 to 3.95, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       3.63 times: the same input on MXNet 1.9.1
roofline   9.37 times: this machine can move and compute as much in that time

Measure it again: python _npi_pinv_scalar_rcond-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.9 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_pinv_scalar_rcond",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_pinv_scalar_rcond/5962bd7d", profile="finding")
def both():
    return dict(
        A=tensor((8, 1, 1), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.9, threads=1, sides=sides))
