"""_npi_arctan2_scalar, backward, on MXNet 1.9.1: 6.65 times as slow as a neighbour that does equal work.

slow       250 us a call, where 38.1 us were expected
fast       38.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      6.65 times, 95% interval 6.27 to 7.04, with 1 thread
family     float16
also       forward, 2.20 times
neighbour  6.65 times: float32: as many elements, 2 times the bytes
roofline   16.0 times: this machine can move and compute as much in that time
forward    2.02 times: the forward pass of the same input

Measure it again: python _npi_arctan2_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.58 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_arctan2_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_arctan2_scalar/b44d7db8", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_arctan2_scalar/8ca9fc57", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.58, threads=1))
