"""gather_nd, forward: 1.98 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       62.6 us a call, where 32.2 us were expected
fast       32.2 us a call
step       the same input on MXNet 1.9.1
ratio      1.98 times, 95% interval 1.73 to 2.28, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       1.98 times: the same input on MXNet 1.9.1
roofline   5.03 times: this machine can move and compute as much in that time

Measure it again: python gather_nd-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.41 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="gather_nd",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("gather_nd/6fe18ed8", profile="finding")
def both():
    return dict(
        data=tensor((1, 128), "int8", integers(0, 10)),
        indices=tensor((1, 390), "int64", integers(0, 1)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.41, threads=1, sides=sides))
