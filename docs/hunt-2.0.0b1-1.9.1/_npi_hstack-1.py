"""_npi_hstack, forward: 2.92 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       68.7 us a call, where 23.7 us were expected
fast       23.7 us a call
step       the same input on MXNet 1.9.1
ratio      2.92 times, 95% interval 2.84 to 3.05, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.92 times: the same input on MXNet 1.9.1
roofline   5.36 times: this machine can move and compute as much in that time

Measure it again: python _npi_hstack-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.71 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_hstack",
    category="join_split",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_hstack/64f0b8c9", profile="finding")
def both():
    return dict(
        data=[tensor((64, 1, 9), "int64", integers(0, 10)), tensor((64, 3, 9), "int64", integers(0, 10)), tensor((64, 1, 9), "int64", integers(0, 10)), tensor((64, 1, 9), "int64", integers(0, 10)), tensor((64, 3, 9), "int64", integers(0, 10))],
        num_args=5,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.71, threads=1, sides=sides))
