"""_npi_multiply_scalar, backward, on MXNet 1.9.1: 2.12 times as slow as a neighbour that does equal work.

slow       131 us a call, where 62.0 us were expected
fast       62.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.12 times, 95% interval 2.04 to 2.18, with 1 thread
family     float16
also       forward, 3.54 times
neighbour  2.12 times: float32: as many elements, 2 times the bytes
roofline   8.31 times: this machine can move and compute as much in that time

Measure it again: python _npi_multiply_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_multiply_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_multiply_scalar/f210366e", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_multiply_scalar/77f7bd0d", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.46, threads=1))
