"""_npi_subtract, forward: 4.99 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       83.6 us a call, where 16.8 us were expected
fast       16.8 us a call
step       the same input on MXNet 1.9.1
ratio      4.99 times, 95% interval 4.79 to 5.09, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       4.99 times: the same input on MXNet 1.9.1
roofline   7.03 times: this machine can move and compute as much in that time

Measure it again: python _npi_subtract-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.23 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_subtract",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_subtract/79f15b7d", profile="finding")
def both():
    return dict(
        lhs=tensor((1, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((16, 64), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.23, threads=1, sides=sides))
