"""_npi_floor, forward: 1.91 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       157 us a call, where 81.9 us were expected
fast       40.9 us a call
step       the same input on MXNet 1.9.1
ratio      1.91 times, 95% interval 1.88 to 1.94, with 1 thread
family     uint8 or int8
side       1.91 times: the same input on MXNet 1.9.1
roofline   12.7 times: this machine can move and compute as much in that time

Measure it again: python _npi_floor-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.77 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_floor",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_floor/abe0131a", profile="finding")
def both():
    return dict(
        x=tensor((16384,), "uint8", integers(1, 8)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.77, threads=1, sides=sides))
