"""_npi_rarctan2_scalar, backward, on MXNet 2.0.0b1: 6.19 times as slow as a neighbour that does equal work.

slow       544 us a call, where 87.5 us were expected
fast       87.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      6.19 times, 95% interval 5.93 to 6.51, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  6.19 times: float32: as many elements, 2 times the bytes
roofline   43.8 times: this machine can move and compute as much in that time
forward    2.31 times: the forward pass of the same input

Measure it again: python _npi_rarctan2_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.49 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rarctan2_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_rarctan2_scalar/0cfcec77", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_rarctan2_scalar/9ea4ebe2", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.49, threads=1))
