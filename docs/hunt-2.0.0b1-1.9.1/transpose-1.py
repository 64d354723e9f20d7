"""transpose, forward: 1.95 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       123 us a call, where 66.9 us were expected
fast       66.9 us a call
step       the same input on MXNet 1.9.1
ratio      1.95 times, 95% interval 1.77 to 2.13, with 1 thread
family     int64, and the first dimension is 2 or more
side       1.95 times: the same input on MXNet 1.9.1
roofline   8.43 times: this machine can move and compute as much in that time

Measure it again: python transpose-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.39 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="transpose",
    category="array",
    mxnet="2.0.0b1",
    seed=0,
)


@case("transpose/bad31e6e", profile="finding")
def both():
    return dict(
        data=tensor((8, 32, 56), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.39, threads=1, sides=sides))
