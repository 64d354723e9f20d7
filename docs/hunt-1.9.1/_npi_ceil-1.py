"""_npi_ceil, forward, on MXNet 1.9.1: 2.39 times as slow as a neighbour that does equal work.

slow       99.9 us a call, where 40.1 us were expected
fast       40.1 us a call
step       int32: as many elements, 2 times the bytes
ratio      2.39 times, 95% interval 2.13 to 2.58, with 1 thread
family     float16
neighbour  2.39 times: int32: as many elements, 2 times the bytes
roofline   6.33 times: this machine can move and compute as much in that time

Measure it again: python _npi_ceil-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_ceil",
    category="rounding",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_ceil/95db0b49", profile="finding")
def slow():
    return dict(
        x=tensor((8192,), "float16", uniform(-8.0, 8.0)),
    )


@case("_npi_ceil/57f87bd5", profile="contrast")
def fast():
    return dict(
        x=tensor((8192,), "int32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.55, threads=1))
