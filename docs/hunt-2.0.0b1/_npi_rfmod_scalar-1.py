"""_npi_rfmod_scalar, backward, on MXNet 2.0.0b1: 2.64 times as slow as a neighbour that does equal work.

slow       117 us a call, where 44.1 us were expected
fast       44.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.64 times, 95% interval 2.56 to 2.73, with 1 thread
family     float16
neighbour  2.64 times: float32: as many elements, 2 times the bytes
roofline   9.68 times: this machine can move and compute as much in that time
forward    2.09 times: the forward pass of the same input

Measure it again: python _npi_rfmod_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.62 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rfmod_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_rfmod_scalar/a4e40cce", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_rfmod_scalar/4d55c454", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.62, threads=1))
