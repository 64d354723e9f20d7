"""_npi_absolute, forward, on MXNet 1.9.1: 5.44 times as slow as a neighbour that does equal work.

slow       123 us a call, where 22.6 us were expected
fast       22.6 us a call
step       int64: as many elements, 4 times the bytes
ratio      5.44 times, 95% interval 4.87 to 5.55, with 1 thread
family     float16
neighbour  5.44 times: int64: as many elements, 4 times the bytes
roofline   7.61 times: this machine can move and compute as much in that time

Measure it again: python _npi_absolute-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.33 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_absolute",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_absolute/8adc0b3d", profile="finding")
def slow():
    return dict(
        x=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_absolute/a3466b3e", profile="contrast")
def fast():
    return dict(
        x=tensor((16384,), "int64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.33, threads=1))
