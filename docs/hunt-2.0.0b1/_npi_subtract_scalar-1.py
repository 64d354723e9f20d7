"""_npi_subtract_scalar, forward, on MXNet 2.0.0b1: 6.03 times as slow as a neighbour that does equal work.

slow       193 us a call, where 31.7 us were expected
fast       31.7 us a call
step       int32: as many elements, 2 times the bytes
ratio      6.03 times, 95% interval 5.51 to 6.62, with 1 thread
family     float16
neighbour  6.03 times: int32: as many elements, 2 times the bytes
roofline   15.1 times: this machine can move and compute as much in that time

Measure it again: python _npi_subtract_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_subtract_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_subtract_scalar/654a6ddf", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_subtract_scalar/6264b987", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.46, threads=1))
