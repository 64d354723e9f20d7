"""_npi_fmax_scalar, backward, on MXNet 2.0.0b1: 2.56 times as slow as a neighbour that does equal work.

slow       216 us a call, where 84.1 us were expected
fast       84.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.56 times, 95% interval 2.42 to 2.70, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 3.55 times
neighbour  2.56 times: float32: as many elements, 2 times the bytes
roofline   16.9 times: this machine can move and compute as much in that time
forward    1.35 times: the forward pass of the same input

Measure it again: python _npi_fmax_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.6 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_fmax_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_fmax_scalar/9b6704bd", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_fmax_scalar/0de59fe3", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.6, threads=1))
