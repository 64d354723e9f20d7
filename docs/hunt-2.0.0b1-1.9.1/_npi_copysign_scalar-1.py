"""_npi_copysign_scalar, forward: 2.26 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       97.5 us a call, where 38.8 us were expected
fast       38.8 us a call
step       the same input on MXNet 1.9.1
ratio      2.26 times, 95% interval 1.90 to 2.51, with 1 thread
family     int64, and is_int=True
side       2.26 times: the same input on MXNet 1.9.1
roofline   5.34 times: this machine can move and compute as much in that time

Measure it again: python _npi_copysign_scalar-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.5 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_copysign_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_copysign_scalar/95dd1b50", profile="finding")
def both():
    return dict(
        data=tensor((32572,), "int64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.5, threads=1, sides=sides))
