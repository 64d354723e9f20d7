"""_np_cumsum, forward, on MXNet 1.9.1: 3.86 times as slow as a neighbour that does equal work.

slow       125 us a call, where 32.3 us were expected
fast       32.3 us a call
step       no dtype
ratio      3.86 times, 95% interval 3.75 to 3.92, with 1 thread
family     dtype is given, and int64 or int32 or float32 or float64, and 1 or 2 dimensions, and the last
           dimension is 46 or more, and at most 131,080 elements
neighbour  3.86 times: no dtype
roofline   4.64 times: this machine can move and compute as much in that time

Measure it again: python _np_cumsum-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.96 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_np_cumsum",
    category="cumulative",
    mxnet="1.9.1",
    seed=5,
)


@case("_np_cumsum/031c5901", profile="finding")
def slow():
    return dict(
        a=tensor((32768,), "int64", integers(0, 10)),
        dtype="float64",
    )


@case("_np_cumsum/087636a3", profile="contrast")
def fast():
    return dict(
        a=tensor((32768,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.96, threads=1))
