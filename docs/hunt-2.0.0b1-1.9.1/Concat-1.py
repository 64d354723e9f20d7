"""Concat, forward: 5.62 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       160 us a call, where 29.5 us were expected
fast       29.5 us a call
step       the same input on MXNet 1.9.1
ratio      5.62 times, 95% interval 5.34 to 5.86, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       5.62 times: the same input on MXNet 1.9.1
roofline   10.9 times: this machine can move and compute as much in that time

Measure it again: python Concat-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.37 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="Concat",
    category="join_split",
    mxnet="2.0.0b1",
    seed=0,
)


@case("Concat/a95ea89b", profile="finding")
def both():
    return dict(
        data=[tensor((1, 1, 16), "int64", integers(0, 10)), tensor((1, 896, 16), "int64", integers(0, 10))],
        num_args=2,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.37, threads=1, sides=sides))
