"""_histogram, forward, on MXNet 2.0.0b1: 4.09 times as slow as a neighbour that does equal work.

slow       82.4 us a call, where 18.5 us were expected
fast       18.5 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.09 times, 95% interval 3.77 to 4.45, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.09 times: int32: as many elements, 2 times the bytes
roofline   6.86 times: this machine can move and compute as much in that time

Measure it again: python _histogram-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.02 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, ascending, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_histogram",
    category="statistics",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_histogram/35fb116e", profile="finding")
def slow():
    return dict(
        data=tensor((1024,), "float16", uniform(-1.0, 1.0)),
        bins=tensor((8,), "float16", ascending(-1.0, 1.0)),
    )


@case("_histogram/3c16b21a", profile="contrast")
def fast():
    return dict(
        data=tensor((1024,), "int32", integers(0, 10)),
        bins=tensor((8,), "int32", ascending(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.02, threads=1))
