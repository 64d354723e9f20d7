"""_npi_less_equal_scalar, forward, on MXNet 1.9.1: 1.93 times as slow as a neighbour that does equal work.

slow       67.2 us a call, where 34.8 us were expected
fast       23.2 us a call
step       int8: as many elements, half the bytes
ratio      1.93 times, 95% interval 1.87 to 2.02, with 1 thread
family     float16
neighbour  1.93 times: int8: as many elements, half the bytes
model      2.04 times: half of 16 other inputs lie within a factor of 1.12 of it
roofline   4.21 times: this machine can move and compute as much in that time

Measure it again: python _npi_less_equal_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.08 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_less_equal_scalar",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_less_equal_scalar/61ded18a", profile="finding")
def slow():
    return dict(
        data=tensor((16, 1024), "float16", integers(0, 4)),
    )


@case("_npi_less_equal_scalar/9d78fcdb", profile="contrast")
def fast():
    return dict(
        data=tensor((16, 1024), "int8", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.08, threads=1))
