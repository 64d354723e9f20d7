"""_npi_true_divide_scalar, forward, on MXNet 2.0.0b1: 2.52 times as slow as a neighbour that does equal work.

slow       1,159 us a call, where 408 us were expected
fast       272 us a call
step       int32: as many elements, half the bytes
ratio      2.52 times, 95% interval 2.43 to 2.63, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.52 times: int32: as many elements, half the bytes
roofline   6.79 times: this machine can move and compute as much in that time

Measure it again: python _npi_true_divide_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.38 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_true_divide_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_true_divide_scalar/e4d65510", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 1024), "int64", integers(1, 8)),
        is_int=False,
        scalar=4.0,
    )


@case("_npi_true_divide_scalar/c12435a8", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 1024), "int32", integers(1, 8)),
        is_int=False,
        scalar=4.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.38, threads=1))
