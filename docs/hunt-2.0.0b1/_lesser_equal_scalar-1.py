"""_lesser_equal_scalar, forward, on MXNet 2.0.0b1: 2.54 times as slow as a neighbour that does equal work.

slow       1,993 us a call, where 801 us were expected
fast       801 us a call
step       float64: as many elements, as many bytes
ratio      2.54 times, 95% interval 2.32 to 2.67, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.54 times: float64: as many elements, as many bytes
roofline   8.92 times: this machine can move and compute as much in that time

Measure it again: python _lesser_equal_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.6 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_lesser_equal_scalar",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_lesser_equal_scalar/599c3919", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 1024), "int64", integers(0, 4)),
        is_int=False,
        scalar=3.0,
    )


@case("_lesser_equal_scalar/d5bc704a", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 1024), "float64", integers(0, 4)),
        is_int=False,
        scalar=3.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.6, threads=1))
