"""_npi_greater_equal_scalar, forward, on MXNet 1.9.1: 3.94 times as slow as a neighbour that does equal work.

slow       188 us a call, where 48.5 us were expected
fast       48.5 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.94 times, 95% interval 3.72 to 4.18, with 1 thread
family     float16
neighbour  3.94 times: float64: as many elements, 4 times the bytes
roofline   11.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_greater_equal_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.98 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_greater_equal_scalar",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_greater_equal_scalar/ac75ffab", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", integers(0, 4)),
    )


@case("_npi_greater_equal_scalar/6c56240e", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float64", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.98, threads=1))
