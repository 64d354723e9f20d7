"""_npi_rsubtract_scalar, forward, on MXNet 1.9.1: 5.27 times as slow as a neighbour that does equal work.

slow       208 us a call, where 38.4 us were expected
fast       38.4 us a call
step       int32: as many elements, 2 times the bytes
ratio      5.27 times, 95% interval 4.92 to 5.65, with 1 thread
family     float16
neighbour  5.27 times: int32: as many elements, 2 times the bytes
roofline   12.9 times: this machine can move and compute as much in that time

Measure it again: python _npi_rsubtract_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.3 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rsubtract_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_rsubtract_scalar/2e78b541", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_rsubtract_scalar/65568320", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.3, threads=1))
