"""_npi_rpower_scalar, backward, on MXNet 2.0.0b1: 2.25 times as slow as a neighbour that does equal work.

slow       138 us a call, where 61.6 us were expected
fast       61.6 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.25 times, 95% interval 2.13 to 2.38, with 1 thread
family     float16
neighbour  2.25 times: float32: as many elements, 2 times the bytes
roofline   11.3 times: this machine can move and compute as much in that time
forward    1.51 times: the forward pass of the same input

Measure it again: python _npi_rpower_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rpower_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_rpower_scalar/e66b6913", profile="finding")
def slow():
    return dict(
        data=tensor((16, 256), "float16", uniform(0.1, 2.0)),
        is_int=False,
        scalar=4.0,
    )


@case("_npi_rpower_scalar/d3276bca", profile="contrast")
def fast():
    return dict(
        data=tensor((16, 256), "float32", uniform(0.1, 2.0)),
        is_int=False,
        scalar=4.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.5, threads=1))
