"""_npi_less_equal_scalar, forward, on MXNet 2.0.0b1: 2.48 times as slow as a neighbour that does equal work.

slow       252 us a call, where 98.5 us were expected
fast       54.7 us a call
step       float32: as many elements, half the bytes
ratio      2.48 times, 95% interval 2.36 to 2.58, with 1 thread
family     int64 or float16 or int32 or int8 or uint8
neighbour  2.48 times: float32: as many elements, half the bytes
roofline   9.38 times: this machine can move and compute as much in that time

Measure it again: python _npi_less_equal_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.84 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_less_equal_scalar",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_less_equal_scalar/555c9264", profile="finding")
def slow():
    return dict(
        data=tensor((131072,), "int64", integers(0, 4)),
        is_int=False,
    )


@case("_npi_less_equal_scalar/2ef68942", profile="contrast")
def fast():
    return dict(
        data=tensor((131072,), "float32", integers(0, 4)),
        is_int=False,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.84, threads=1))
