"""_ravel_multi_index, forward, on MXNet 1.9.1: 4.03 times as slow as a neighbour that does equal work.

slow       96.8 us a call, where 24.0 us were expected
fast       24.0 us a call
step       int32: as many elements, as many bytes
ratio      4.03 times, 95% interval 3.59 to 4.12, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.03 times: int32: as many elements, as many bytes
model      3.25 times: half of 40 other inputs lie within a factor of 1.11 of it
roofline   7.73 times: this machine can move and compute as much in that time

Measure it again: python _ravel_multi_index-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.01 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_ravel_multi_index",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("_ravel_multi_index/3fa6f370", profile="finding")
def slow():
    return dict(
        data=tensor((4, 4096), "float32", integers(0, 2)),
        shape=(1, 1, 1, 1),
    )


@case("_ravel_multi_index/66d51d4a", profile="contrast")
def fast():
    return dict(
        data=tensor((4, 4096), "int32", integers(0, 2)),
        shape=(1, 1, 1, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.01, threads=1))
