"""_npi_ceil, forward, on MXNet 2.0.0b1: 19.8 times as slow as a neighbour that does equal work.

slow       543 us a call, where 28.2 us were expected
fast       28.2 us a call
step       int32: as many elements, 2 times the bytes
ratio      19.8 times, 95% interval 18.4 to 22.1, with 1 thread
family     float16 or int8 or uint8 or float32 or float64
neighbour  19.8 times: int32: as many elements, 2 times the bytes
roofline   35.5 times: this machine can move and compute as much in that time

Measure it again: python _npi_ceil-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_ceil",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_ceil/a2551680", profile="finding")
def slow():
    return dict(
        x=tensor((65536,), "float16", uniform(-8.0, 8.0)),
    )


@case("_npi_ceil/b75770cc", profile="contrast")
def fast():
    return dict(
        x=tensor((65536,), "int32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.45, threads=1))
