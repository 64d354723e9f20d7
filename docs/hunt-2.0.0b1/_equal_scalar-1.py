"""_equal_scalar, forward, on MXNet 2.0.0b1: 2.32 times as slow as a neighbour that does equal work.

slow       1,280 us a call, where 679 us were expected
fast       340 us a call
step       float32: as many elements, half the bytes
ratio      2.32 times, 95% interval 1.84 to 2.79, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.32 times: float32: as many elements, half the bytes
roofline   5.73 times: this machine can move and compute as much in that time

Measure it again: python _equal_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.05 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_equal_scalar",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_equal_scalar/fba5342b", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 1024), "int64", integers(0, 4)),
        is_int=False,
        scalar=3.0,
    )


@case("_equal_scalar/fb12f88b", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 1024), "float32", integers(0, 4)),
        is_int=False,
        scalar=3.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.05, threads=1))
