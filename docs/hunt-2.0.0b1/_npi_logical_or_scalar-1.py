"""_npi_logical_or_scalar, forward, on MXNet 2.0.0b1: 2.13 times as slow as a neighbour that does equal work.

slow       1,059 us a call, where 513 us were expected
fast       285 us a call
step       int32: as many elements, half the bytes
ratio      2.13 times, 95% interval 1.99 to 2.29, with 1 thread
family     int64 or float64 or float16
neighbour  2.13 times: int32: as many elements, half the bytes
roofline   8.09 times: this machine can move and compute as much in that time

Measure it again: python _npi_logical_or_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.63 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_npi_logical_or_scalar",
    category="logical",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_logical_or_scalar/d28b8dd3", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 1024), "int64", mask(0.5)),
        is_int=True,
        scalar=1.0,
    )


@case("_npi_logical_or_scalar/88d4c192", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 1024), "int32", mask(0.5)),
        is_int=True,
        scalar=1.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.63, threads=1))
