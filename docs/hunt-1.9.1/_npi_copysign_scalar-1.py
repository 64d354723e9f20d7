"""_npi_copysign_scalar, forward, on MXNet 1.9.1: 6.91 times as slow as a neighbour that does equal work.

slow       678 us a call, where 93.9 us were expected
fast       93.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      6.91 times, 95% interval 6.30 to 7.34, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  6.91 times: float32: as many elements, 2 times the bytes
model      13.6 times: half of 40 other inputs lie within a factor of 1.55 of it
roofline   51.6 times: this machine can move and compute as much in that time

Measure it again: python _npi_copysign_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.63 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_copysign_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_copysign_scalar/0c490a64", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_copysign_scalar/8a945899", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.63, threads=1))
