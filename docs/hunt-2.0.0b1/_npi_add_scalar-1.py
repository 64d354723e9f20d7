"""_npi_add_scalar, forward, on MXNet 2.0.0b1: 7.54 times as slow as a neighbour that does equal work.

slow       185 us a call, where 24.2 us were expected
fast       24.2 us a call
step       int32: as many elements, 2 times the bytes
ratio      7.54 times, 95% interval 7.08 to 7.88, with 1 thread
family     float16
neighbour  7.54 times: int32: as many elements, 2 times the bytes
roofline   14.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_add_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_add_scalar",
    category="scalar",
    mxnet="2.0.0b1",
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.75, threads=1))
