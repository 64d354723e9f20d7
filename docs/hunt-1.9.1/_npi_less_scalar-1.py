"""_npi_less_scalar, forward, on MXNet 1.9.1: 3.65 times as slow as a neighbour that does equal work.

slow       186 us a call, where 50.4 us were expected
fast       50.4 us a call
step       int32: as many elements, 2 times the bytes
ratio      3.65 times, 95% interval 3.51 to 3.75, with 1 thread
family     float16
neighbour  3.65 times: int32: as many elements, 2 times the bytes
roofline   11.2 times: this machine can move and compute as much in that time

Measure it again: python _npi_less_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.91 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_less_scalar",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_less_scalar/8b9616b8", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", integers(0, 4)),
    )


@case("_npi_less_scalar/775638bf", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "int32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.91, threads=1))
