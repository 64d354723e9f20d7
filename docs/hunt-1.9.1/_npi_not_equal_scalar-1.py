"""_npi_not_equal_scalar, forward, on MXNet 1.9.1: 3.49 times as slow as a neighbour that does equal work.

slow       195 us a call, where 56.2 us were expected
fast       56.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.49 times, 95% interval 3.40 to 3.54, with 1 thread
family     float16, and 16,386 elements or more
neighbour  3.49 times: float32: as many elements, 2 times the bytes
roofline   11.8 times: this machine can move and compute as much in that time

Measure it again: python _npi_not_equal_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.87 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_not_equal_scalar",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_not_equal_scalar/e7230108", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", integers(0, 4)),
    )


@case("_npi_not_equal_scalar/d353c154", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.87, threads=1))
