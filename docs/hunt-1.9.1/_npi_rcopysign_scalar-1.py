"""_npi_rcopysign_scalar, forward, on MXNet 1.9.1: 8.18 times as slow as a neighbour that does equal work.

slow       195 us a call, where 23.5 us were expected
fast       23.5 us a call
step       int32: as many elements, 2 times the bytes
ratio      8.18 times, 95% interval 7.41 to 8.86, with 1 thread
family     float16
neighbour  8.18 times: int32: as many elements, 2 times the bytes
roofline   12.1 times: this machine can move and compute as much in that time

Measure it again: python _npi_rcopysign_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.86 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rcopysign_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_rcopysign_scalar/e3fa1f21", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_rcopysign_scalar/e72c6f91", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.86, threads=1))
