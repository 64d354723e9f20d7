"""_npi_power_scalar, backward, on MXNet 1.9.1: 2.30 times as slow as a neighbour that does equal work.

slow       107 us a call, where 44.6 us were expected
fast       44.6 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.30 times, 95% interval 2.20 to 2.46, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 1.92 times
neighbour  2.30 times: float32: as many elements, 2 times the bytes
roofline   6.93 times: this machine can move and compute as much in that time
forward    1.94 times: the forward pass of the same input

Measure it again: python _npi_power_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.52 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_power_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_power_scalar/dae88bfe", profile="finding")
def slow():
    return dict(
        data=tensor((4, 256), "float16", uniform(0.1, 2.0)),
        scalar=4.0,
    )


@case("_npi_power_scalar/f824f5ca", profile="contrast")
def fast():
    return dict(
        data=tensor((4, 256), "float32", uniform(0.1, 2.0)),
        scalar=4.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.52, threads=1))
