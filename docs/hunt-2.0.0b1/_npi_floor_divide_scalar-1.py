"""_npi_floor_divide_scalar, forward, on MXNet 2.0.0b1: 4.19 times as slow as a neighbour that does equal work.

slow       83.4 us a call, where 19.7 us were expected
fast       19.7 us a call
step       int64: as many elements, 4 times the bytes
ratio      4.19 times, 95% interval 4.02 to 4.69, with 1 thread
family     float16
neighbour  4.19 times: int64: as many elements, 4 times the bytes
roofline   6.83 times: this machine can move and compute as much in that time

Measure it again: python _npi_floor_divide_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.05 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_floor_divide_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_floor_divide_scalar/1bc003b4", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_floor_divide_scalar/e308e95d", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "int64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.05, threads=1))
