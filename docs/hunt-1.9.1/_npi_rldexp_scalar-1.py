"""_npi_rldexp_scalar, backward, on MXNet 1.9.1: 2.36 times as slow as a neighbour that does equal work.

slow       114 us a call, where 47.7 us were expected
fast       47.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.36 times, 95% interval 2.26 to 2.45, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.31 times
neighbour  2.36 times: float32: as many elements, 2 times the bytes
roofline   7.31 times: this machine can move and compute as much in that time
forward    1.69 times: the forward pass of the same input

Measure it again: python _npi_rldexp_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.53 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rldexp_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_rldexp_scalar/8b2c23e7", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-4.0, 4.0)),
    )


@case("_npi_rldexp_scalar/ade755c0", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float32", uniform(-4.0, 4.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.53, threads=1))
