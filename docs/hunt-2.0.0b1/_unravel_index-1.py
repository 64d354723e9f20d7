"""_unravel_index, forward, on MXNet 2.0.0b1: 3.14 times as slow as a neighbour that does equal work.

slow       102 us a call, where 32.3 us were expected
fast       32.3 us a call
step       int32: as many elements, 2 times the bytes
ratio      3.14 times, 95% interval 3.01 to 3.19, with 1 thread
family     float16
neighbour  3.14 times: int32: as many elements, 2 times the bytes
roofline   8.09 times: this machine can move and compute as much in that time

Measure it again: python _unravel_index-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.77 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_unravel_index",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_unravel_index/4d78a0b6", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", integers(0, 1048576)),
        shape=(1, 2),
    )


@case("_unravel_index/2f0deaa9", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "int32", integers(0, 1048576)),
        shape=(1, 2),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.77, threads=1))
