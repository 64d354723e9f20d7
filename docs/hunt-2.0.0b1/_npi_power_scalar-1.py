"""_npi_power_scalar, backward, on MXNet 2.0.0b1: 2.38 times as slow as a neighbour that does equal work.

slow       146 us a call, where 57.6 us were expected
fast       57.6 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.38 times, 95% interval 2.25 to 2.48, with 1 thread
family     float16
also       forward, 1.90 times
neighbour  2.38 times: float32: as many elements, 2 times the bytes
roofline   12.0 times: this machine can move and compute as much in that time
forward    1.73 times: the forward pass of the same input

Measure it again: python _npi_power_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_power_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_power_scalar/a3df688c", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_power_scalar/c3817987", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.54, threads=1))
