"""_npi_absolute, forward, on MXNet 2.0.0b1: 4.68 times as slow as a neighbour that does equal work.

slow       141 us a call, where 30.1 us were expected
fast       30.1 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.68 times, 95% interval 4.37 to 4.90, with 1 thread
family     float16
neighbour  4.68 times: int32: as many elements, 2 times the bytes
roofline   11.0 times: this machine can move and compute as much in that time

Measure it again: python _npi_absolute-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.16 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_absolute",
    category="unary",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_absolute/8adc0b3d", profile="finding")
def slow():
    return dict(
        x=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_absolute/09cf32c8", profile="contrast")
def fast():
    return dict(
        x=tensor((16384,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.16, threads=1))
