"""_npi_add_scalar, forward, on MXNet 1.9.1: 7.30 times as slow as a neighbour that does equal work.

slow       142 us a call, where 19.6 us were expected
fast       19.6 us a call
step       int32: as many elements, 2 times the bytes
ratio      7.30 times, 95% interval 6.98 to 7.54, with 1 thread
family     float16
neighbour  7.30 times: int32: as many elements, 2 times the bytes
roofline   8.78 times: this machine can move and compute as much in that time

Measure it again: python _npi_add_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.7 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_add_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_add_scalar/a8a00114", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_add_scalar/3257b0ce", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.7, threads=1))
