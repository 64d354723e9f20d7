"""_npi_fix, forward: 2.63 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       811 us a call, where 301 us were expected
fast       301 us a call
step       the same input on MXNet 1.9.1
ratio      2.63 times, 95% interval 2.37 to 2.87, with 1 thread
family     float32 or float64 or int8
side       2.63 times: the same input on MXNet 1.9.1
roofline   44.3 times: this machine can move and compute as much in that time

Measure it again: python _npi_fix-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.62 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_fix",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_fix/8ff9c303", profile="finding")
def both():
    return dict(
        x=tensor((65536,), "float32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.62, threads=1, sides=sides))
