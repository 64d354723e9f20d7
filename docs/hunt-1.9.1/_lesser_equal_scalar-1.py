"""_lesser_equal_scalar, forward, on MXNet 1.9.1: 5.56 times as slow as a neighbour that does equal work.

slow       110 us a call, where 19.5 us were expected
fast       19.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.56 times, 95% interval 5.19 to 5.77, with 1 thread
family     float16
neighbour  5.56 times: float32: as many elements, 2 times the bytes
roofline   6.82 times: this machine can move and compute as much in that time

Measure it again: python _lesser_equal_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.36 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_lesser_equal_scalar",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_lesser_equal_scalar/51776ea4", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", integers(0, 4)),
    )


@case("_lesser_equal_scalar/4cf2bd69", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.36, threads=1))
