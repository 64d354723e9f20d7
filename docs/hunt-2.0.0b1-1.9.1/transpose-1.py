"""transpose, forward: 2.30 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       413 us a call, where 179 us were expected
fast       179 us a call
step       the same input on MXNet 1.9.1
ratio      2.30 times, 95% interval 2.19 to 2.36, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.30 times: the same input on MXNet 1.9.1
roofline   16.0 times: this machine can move and compute as much in that time

Measure it again: python transpose-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.52 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="transpose",
    category="array",
    mxnet="2.0.0b1",
    seed=0,
)


@case("transpose/8da058d1", profile="finding")
def both():
    return dict(
        data=tensor((4, 4, 56, 56), "int64", integers(0, 10)),
        axes=(0, 2, 3, 1),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.52, threads=1, sides=sides))
