"""_npi_rtrue_divide_scalar, backward, on MXNet 1.9.1: 3.69 times as slow as a neighbour that does equal work.

slow       137 us a call, where 36.9 us were expected
fast       36.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.69 times, 95% interval 3.60 to 3.74, with 1 thread
family     float16
also       forward, 2.70 times
neighbour  3.69 times: float32: as many elements, 2 times the bytes
roofline   8.76 times: this machine can move and compute as much in that time
forward    2.61 times: the forward pass of the same input

Measure it again: python _npi_rtrue_divide_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.92 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rtrue_divide_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_rtrue_divide_scalar/37dd44f5", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_rtrue_divide_scalar/30e83e08", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.92, threads=1))
