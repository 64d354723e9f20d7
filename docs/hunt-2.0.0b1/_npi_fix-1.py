"""_npi_fix, forward, on MXNet 2.0.0b1: 30.5 times as slow as a neighbour that does equal work.

slow       787 us a call, where 25.4 us were expected
fast       25.4 us a call
step       int32: as many elements, as many bytes
ratio      30.5 times, 95% interval 29.6 to 31.2, with 1 thread
family     float32 or float64 or float16 or int8 or uint8
neighbour  30.5 times: int32: as many elements, as many bytes
roofline   42.3 times: this machine can move and compute as much in that time

Measure it again: python _npi_fix-1.py
It times both interleaved, and exits with 1 if slow takes more than 5.53 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_fix",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_fix/8ff9c303", profile="finding")
def slow():
    return dict(
        x=tensor((65536,), "float32", uniform(-8.0, 8.0)),
    )


@case("_npi_fix/618a7b41", profile="contrast")
def fast():
    return dict(
        x=tensor((65536,), "int32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=5.53, threads=1))
