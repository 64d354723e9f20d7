"""_npi_rmod_scalar, backward, on MXNet 1.9.1: 2.84 times as slow as a neighbour that does equal work.

slow       136 us a call, where 49.0 us were expected
fast       49.0 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.84 times, 95% interval 2.56 to 3.12, with 1 thread
family     float16
neighbour  2.84 times: float64: as many elements, 4 times the bytes
roofline   8.75 times: this machine can move and compute as much in that time
forward    1.64 times: the forward pass of the same input

Measure it again: python _npi_rmod_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.69 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rmod_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_rmod_scalar/e6cd2531", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_rmod_scalar/2dcf7629", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float64", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.69, threads=1))
