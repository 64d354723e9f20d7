"""Concat, forward: 7.77 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       266 us a call, where 36.1 us were expected
fast       36.1 us a call
step       the same input on MXNet 1.9.1
ratio      7.77 times, 95% interval 7.12 to 8.47, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       7.77 times: the same input on MXNet 1.9.1
roofline   13.0 times: this machine can move and compute as much in that time

Measure it again: python Concat-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.79 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="Concat",
    category="join_split",
    mxnet="2.0.0b1",
    seed=0,
)


@case("Concat/d4d6abf0", profile="finding")
def both():
    return dict(
        data=[tensor((1, 1, 28), "int64", integers(0, 10)), tensor((1, 896, 28), "int64", integers(0, 10))],
        num_args=2,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.79, threads=1, sides=sides))
