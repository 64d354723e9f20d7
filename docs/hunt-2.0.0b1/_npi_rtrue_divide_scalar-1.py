"""_npi_rtrue_divide_scalar, backward, on MXNet 2.0.0b1: 2.42 times as slow as a neighbour that does equal work.

slow       172 us a call, where 71.6 us were expected
fast       71.6 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.42 times, 95% interval 2.31 to 2.53, with 1 thread
family     float16
also       forward, 2.38 times
neighbour  2.42 times: float64: as many elements, 4 times the bytes
roofline   14.1 times: this machine can move and compute as much in that time
forward    1.91 times: the forward pass of the same input

Measure it again: python _npi_rtrue_divide_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rtrue_divide_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_rtrue_divide_scalar/37dd44f5", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_rtrue_divide_scalar/75cf295c", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float64", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.56, threads=1))
