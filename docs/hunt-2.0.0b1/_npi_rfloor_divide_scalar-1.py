"""_npi_rfloor_divide_scalar, forward, on MXNet 2.0.0b1: 6.32 times as slow as a neighbour that does equal work.

slow       156 us a call, where 25.6 us were expected
fast       25.6 us a call
step       float64: as many elements, 4 times the bytes
ratio      6.32 times, 95% interval 5.89 to 6.92, with 1 thread
family     float16
neighbour  6.32 times: float64: as many elements, 4 times the bytes
roofline   12.6 times: this machine can move and compute as much in that time

Measure it again: python _npi_rfloor_divide_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.51 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rfloor_divide_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_rfloor_divide_scalar/3296de0f", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_rfloor_divide_scalar/33650f9f", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float64", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.51, threads=1))
