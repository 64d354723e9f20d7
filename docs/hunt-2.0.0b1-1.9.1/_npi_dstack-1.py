"""_npi_dstack, forward: 5.96 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       110 us a call, where 18.6 us were expected
fast       18.6 us a call
step       the same input on MXNet 1.9.1
ratio      5.96 times, 95% interval 5.80 to 6.16, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       5.96 times: the same input on MXNet 1.9.1
roofline   8.04 times: this machine can move and compute as much in that time

Measure it again: python _npi_dstack-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.44 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_dstack",
    category="join_split",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_dstack/e0d02134", profile="finding")
def both():
    return dict(
        data=[tensor((10, 3, 1, 109), "int64", integers(0, 10)), tensor((10, 3, 2, 109), "int64", integers(0, 10))],
        num_args=2,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.44, threads=1, sides=sides))
