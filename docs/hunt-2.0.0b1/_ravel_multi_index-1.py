"""_ravel_multi_index, forward, on MXNet 2.0.0b1: 5.67 times as slow as a neighbour that does equal work.

slow       194 us a call, where 34.8 us were expected
fast       34.8 us a call
step       int64: as many elements, 4 times the bytes
ratio      5.67 times, 95% interval 5.29 to 6.07, with 1 thread
family     float16
neighbour  5.67 times: int64: as many elements, 4 times the bytes
roofline   15.8 times: this machine can move and compute as much in that time

Measure it again: python _ravel_multi_index-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.38 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_ravel_multi_index",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_ravel_multi_index/ef741945", profile="finding")
def slow():
    return dict(
        data=tensor((2, 4096), "float16", integers(0, 1024)),
        shape=(1, 1),
    )


@case("_ravel_multi_index/f1835ca1", profile="contrast")
def fast():
    return dict(
        data=tensor((2, 4096), "int64", integers(0, 1024)),
        shape=(1, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.38, threads=1))
