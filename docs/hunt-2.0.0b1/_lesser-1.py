"""_lesser, forward, on MXNet 2.0.0b1: 3.62 times as slow as a neighbour that does equal work.

slow       147 us a call, where 40.8 us were expected
fast       40.8 us a call
step       int32: as many elements, 2 times the bytes
ratio      3.62 times, 95% interval 3.41 to 3.77, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.62 times: int32: as many elements, 2 times the bytes
roofline   8.64 times: this machine can move and compute as much in that time

Measure it again: python _lesser-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.9 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_lesser",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_lesser/ae5dc5c3", profile="finding")
def slow():
    return dict(
        lhs=tensor((65536,), "float16", integers(0, 4)),
        rhs=tensor((65536,), "float16", integers(0, 4)),
    )


@case("_lesser/708ae9b7", profile="contrast")
def fast():
    return dict(
        lhs=tensor((65536,), "int32", integers(0, 4)),
        rhs=tensor((65536,), "int32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.9, threads=1))
