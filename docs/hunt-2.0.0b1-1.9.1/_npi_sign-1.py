"""_npi_sign, forward: 3.84 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       1,068 us a call, where 268 us were expected
fast       268 us a call
step       the same input on MXNet 1.9.1
ratio      3.84 times, 95% interval 1.93 to 4.25, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       3.84 times: the same input on MXNet 1.9.1
roofline   16.7 times: this machine can move and compute as much in that time

Measure it again: python _npi_sign-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.96 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sign",
    category="unary",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_sign/710f84dd", profile="finding")
def both():
    return dict(
        x=tensor((65536, 4, 1), "int64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.96, threads=1, sides=sides))
