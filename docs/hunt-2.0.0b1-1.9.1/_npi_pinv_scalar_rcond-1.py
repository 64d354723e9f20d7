"""_npi_pinv_scalar_rcond, forward: 3.79 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       99.4 us a call, where 25.6 us were expected
fast       25.6 us a call
step       the same input on MXNet 1.9.1
ratio      3.79 times, 95% interval 3.60 to 3.92, with 1 thread
family     dimension -3 is 2 or more, and float32
side       3.79 times: the same input on MXNet 1.9.1
roofline   6.66 times: this machine can move and compute as much in that time

Measure it again: python _npi_pinv_scalar_rcond-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.95 times as long as the second, else with 0.
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
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.95, threads=1, sides=sides))
