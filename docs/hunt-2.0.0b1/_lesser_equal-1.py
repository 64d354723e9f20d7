"""_lesser_equal, forward, on MXNet 2.0.0b1: 3.54 times as slow as a neighbour that does equal work.

slow       146 us a call, where 41.0 us were expected
fast       41.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.54 times, 95% interval 3.35 to 3.71, with 1 thread
family     float16
neighbour  3.54 times: float32: as many elements, 2 times the bytes
roofline   8.60 times: this machine can move and compute as much in that time

Measure it again: python _lesser_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.88 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_lesser_equal",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_lesser_equal/3a7aba48", profile="finding")
def slow():
    return dict(
        lhs=tensor((65536,), "float16", integers(0, 4)),
        rhs=tensor((65536,), "float16", integers(0, 4)),
    )


@case("_lesser_equal/dc0ae912", profile="contrast")
def fast():
    return dict(
        lhs=tensor((65536,), "float32", integers(0, 4)),
        rhs=tensor((65536,), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.88, threads=1))
