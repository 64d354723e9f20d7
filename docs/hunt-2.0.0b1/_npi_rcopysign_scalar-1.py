"""_npi_rcopysign_scalar, forward, on MXNet 2.0.0b1: 6.95 times as slow as a neighbour that does equal work.

slow       159 us a call, where 22.5 us were expected
fast       22.5 us a call
step       int32: as many elements, 2 times the bytes
ratio      6.95 times, 95% interval 6.60 to 7.30, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  6.95 times: int32: as many elements, 2 times the bytes
roofline   12.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_rcopysign_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rcopysign_scalar",
    category="scalar",
    mxnet="2.0.0b1",
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.64, threads=1))
