"""_greater_equal_scalar, forward, on MXNet 2.0.0b1: 2.43 times as slow as a neighbour that does equal work.

slow       77.1 us a call, where 31.7 us were expected
fast       31.7 us a call
step       float64: as many elements, as many bytes
ratio      2.43 times, 95% interval 2.32 to 2.51, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.43 times: float64: as many elements, as many bytes
roofline   3.06 times: this machine can move and compute as much in that time

Measure it again: python _greater_equal_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_greater_equal_scalar",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_greater_equal_scalar/96d2709a", profile="finding")
def slow():
    return dict(
        data=tensor((65536,), "int64", integers(0, 4)),
        is_int=False,
    )


@case("_greater_equal_scalar/b06bdbc5", profile="contrast")
def fast():
    return dict(
        data=tensor((65536,), "float64", integers(0, 4)),
        is_int=False,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.56, threads=1))
