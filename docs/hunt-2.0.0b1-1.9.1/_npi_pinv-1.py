"""_npi_pinv, forward: 4.03 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       141 us a call, where 33.9 us were expected
fast       33.9 us a call
step       the same input on MXNet 1.9.1
ratio      4.03 times, 95% interval 3.78 to 4.22, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       4.03 times: the same input on MXNet 1.9.1
roofline   11.9 times: this machine can move and compute as much in that time

Measure it again: python _npi_pinv-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.01 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_pinv",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_pinv/8b04fb5d", profile="finding")
def both():
    return dict(
        A=tensor((1, 10, 1, 1), "float32", uniform(-1.0, 1.0)),
        rcond=tensor((1, 1), "float32", constant(1e-06)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.01, threads=1, sides=sides))
