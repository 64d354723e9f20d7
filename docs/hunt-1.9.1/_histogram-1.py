"""_histogram, forward, on MXNet 1.9.1: 5.39 times as slow as a neighbour that does equal work.

slow       135 us a call, where 25.0 us were expected
fast       25.0 us a call
step       int32: as many elements, 2 times the bytes
ratio      5.39 times, 95% interval 5.12 to 5.78, with 1 thread
family     float16
neighbour  5.39 times: int32: as many elements, 2 times the bytes
roofline   8.71 times: this machine can move and compute as much in that time

Measure it again: python _histogram-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.32 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, ascending, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_histogram",
    category="statistics",
    mxnet="1.9.1",
    seed=0,
)


@case("_histogram/247eee38", profile="finding")
def slow():
    return dict(
        data=tensor((1024,), "float16", uniform(-1.0, 1.0)),
        bins=tensor((11,), "float16", ascending(-1.0, 1.0)),
    )


@case("_histogram/0fedf310", profile="contrast")
def fast():
    return dict(
        data=tensor((1024,), "int32", integers(0, 10)),
        bins=tensor((11,), "int32", ascending(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.32, threads=1))
