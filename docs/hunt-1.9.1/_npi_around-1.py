"""_npi_around, forward, on MXNet 1.9.1: 5.90 times as slow as a neighbour that does equal work.

slow       113 us a call, where 19.0 us were expected
fast       19.0 us a call
step       decimals=1
ratio      5.90 times, 95% interval 5.45 to 6.00, with 1 thread
family     decimals is at most 0, and int8 or int32 or int64 or uint8
neighbour  5.90 times: decimals=1
roofline   7.15 times: this machine can move and compute as much in that time

Measure it again: python _npi_around-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_around",
    category="rounding",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_around/c0e49c5c", profile="finding")
def slow():
    return dict(
        x=tensor((16384,), "int8", integers(1, 8)),
        decimals=0,
    )


@case("_npi_around/34e3c4dd", profile="contrast")
def fast():
    return dict(
        x=tensor((16384,), "int8", integers(1, 8)),
        decimals=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.43, threads=1))
