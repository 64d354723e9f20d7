"""_unravel_index, forward, on MXNet 1.9.1: 2.38 times as slow as a neighbour that does equal work.

slow       102 us a call, where 43.0 us were expected
fast       43.0 us a call
step       int32: as many elements, 2 times the bytes
ratio      2.38 times, 95% interval 2.33 to 2.61, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.38 times: int32: as many elements, 2 times the bytes
roofline   6.38 times: this machine can move and compute as much in that time

Measure it again: python _unravel_index-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_unravel_index",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("_unravel_index/e93e629e", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", integers(0, 100000)),
        shape=(1, 1, 1, 1, 1),
    )


@case("_unravel_index/8bc8076e", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "int32", integers(0, 100000)),
        shape=(1, 1, 1, 1, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.54, threads=1))
