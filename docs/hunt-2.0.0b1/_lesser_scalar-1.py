"""_lesser_scalar, forward, on MXNet 2.0.0b1: 2.71 times as slow as a neighbour that does equal work.

slow       153 us a call, where 59.0 us were expected
fast       59.0 us a call
step       float64: as many elements, as many bytes
ratio      2.71 times, 95% interval 2.50 to 3.15, with 1 thread
family     int64 or float16 or int32 or int8 or uint8, and is_int=False
neighbour  2.71 times: float64: as many elements, as many bytes
roofline   3.98 times: this machine can move and compute as much in that time

Measure it again: python _lesser_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_lesser_scalar",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_lesser_scalar/aad96feb", profile="finding")
def slow():
    return dict(
        data=tensor((131072,), "int64", integers(0, 4)),
        is_int=False,
    )


@case("_lesser_scalar/69ec4d49", profile="contrast")
def fast():
    return dict(
        data=tensor((131072,), "float64", integers(0, 4)),
        is_int=False,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.64, threads=1))
