"""_npi_copysign_scalar, forward, on MXNet 1.9.1: 7.54 times as slow as a neighbour that does equal work.

slow       250 us a call, where 31.1 us were expected
fast       31.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      7.54 times, 95% interval 6.72 to 8.41, with 1 thread
family     float16
neighbour  7.54 times: float32: as many elements, 2 times the bytes
roofline   15.5 times: this machine can move and compute as much in that time

Measure it again: python _npi_copysign_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_copysign_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_copysign_scalar/4ef3c654", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_copysign_scalar/886866c8", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.75, threads=1))
