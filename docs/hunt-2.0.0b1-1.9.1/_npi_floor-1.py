"""_npi_floor, forward: 1.90 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       166 us a call, where 86.5 us were expected
fast       43.2 us a call
step       the same input on MXNet 1.9.1
ratio      1.90 times, 95% interval 1.83 to 1.93, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       1.90 times: the same input on MXNet 1.9.1
roofline   10.7 times: this machine can move and compute as much in that time

Measure it again: python _npi_floor-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.76 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_floor",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_floor/0a3102dc", profile="finding")
def both():
    return dict(
        x=tensor((16384,), "int8", integers(1, 8)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.76, threads=1, sides=sides))
