"""_npi_dstack, forward: 5.36 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       96.9 us a call, where 18.0 us were expected
fast       18.0 us a call
step       the same input on MXNet 1.9.1
ratio      5.36 times, 95% interval 5.22 to 5.43, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       5.36 times: the same input on MXNet 1.9.1
roofline   5.79 times: this machine can move and compute as much in that time

Measure it again: python _npi_dstack-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.32 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_dstack",
    category="join_split",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_dstack/bc2fcfac", profile="finding")
def both():
    return dict(
        data=[tensor((10, 3, 1, 93), "int64", integers(0, 10)), tensor((10, 3, 2, 93), "int64", integers(0, 10))],
        num_args=2,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.32, threads=1, sides=sides))
