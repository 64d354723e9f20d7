"""gather_nd, forward: 2.32 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       185 us a call, where 79.7 us were expected
fast       79.7 us a call
step       the same input on MXNet 1.9.1
ratio      2.32 times, 95% interval 2.05 to 2.39, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.32 times: the same input on MXNet 1.9.1
roofline   10.4 times: this machine can move and compute as much in that time

Measure it again: python gather_nd-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.52 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="gather_nd",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("gather_nd/9f5aaaa5", profile="finding")
def both():
    return dict(
        data=tensor((10, 513), "int8", integers(0, 10)),
        indices=tensor((1, 6, 65), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.52, threads=1, sides=sides))
