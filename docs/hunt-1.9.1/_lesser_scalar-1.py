"""_lesser_scalar, forward, on MXNet 1.9.1: 4.76 times as slow as a neighbour that does equal work.

slow       107 us a call, where 22.4 us were expected
fast       22.4 us a call
step       int64: as many elements, 4 times the bytes
ratio      4.76 times, 95% interval 4.64 to 4.84, with 1 thread
family     float16, and 16,383 elements or more
neighbour  4.76 times: int64: as many elements, 4 times the bytes
roofline   6.65 times: this machine can move and compute as much in that time

Measure it again: python _lesser_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.18 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_lesser_scalar",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_lesser_scalar/f2abb924", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", integers(0, 4)),
    )


@case("_lesser_scalar/75ea9ccb", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int64", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.18, threads=1))
