"""_npi_greater_equal_scalar, forward, on MXNet 2.0.0b1: 2.40 times as slow as a neighbour that does equal work.

slow       146 us a call, where 60.9 us were expected
fast       33.8 us a call
step       float32: as many elements, half the bytes
ratio      2.40 times, 95% interval 2.31 to 2.43, with 1 thread
family     int64 or float16 or int32 or int8 or uint8
neighbour  2.40 times: float32: as many elements, half the bytes
roofline   5.43 times: this machine can move and compute as much in that time

Measure it again: python _npi_greater_equal_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.79 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_greater_equal_scalar",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_greater_equal_scalar/aee90c95", profile="finding")
def slow():
    return dict(
        data=tensor((131072,), "int64", integers(0, 4)),
        is_int=False,
    )


@case("_npi_greater_equal_scalar/866bfb35", profile="contrast")
def fast():
    return dict(
        data=tensor((131072,), "float32", integers(0, 4)),
        is_int=False,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.79, threads=1))
