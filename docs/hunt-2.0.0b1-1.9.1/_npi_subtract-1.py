"""_npi_subtract, forward: 10.7 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       170 us a call, where 15.9 us were expected
fast       15.9 us a call
step       the same input on MXNet 1.9.1
ratio      10.7 times, 95% interval 10.3 to 11.6, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       10.7 times: the same input on MXNet 1.9.1
roofline   11.1 times: this machine can move and compute as much in that time

Measure it again: python _npi_subtract-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 3.27 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_subtract",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_subtract/9ff6a1a1", profile="finding")
def both():
    return dict(
        lhs=tensor((1,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=3.27, threads=1, sides=sides))
