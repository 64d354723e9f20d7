"""_npi_equal_scalar, forward, on MXNet 2.0.0b1: 2.79 times as slow as a neighbour that does equal work.

slow       175 us a call, where 62.5 us were expected
fast       34.7 us a call
step       float32: as many elements, half the bytes
ratio      2.79 times, 95% interval 2.72 to 3.07, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.79 times: float32: as many elements, half the bytes
roofline   6.51 times: this machine can move and compute as much in that time

Measure it again: python _npi_equal_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.01 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_equal_scalar",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_equal_scalar/abe3f30d", profile="finding")
def slow():
    return dict(
        data=tensor((131072,), "int64", integers(0, 4)),
        is_int=False,
    )


@case("_npi_equal_scalar/081af65e", profile="contrast")
def fast():
    return dict(
        data=tensor((131072,), "float32", integers(0, 4)),
        is_int=False,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.01, threads=1))
