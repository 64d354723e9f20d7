"""_npi_mod_scalar, backward, on MXNet 2.0.0b1: 3.51 times as slow as a neighbour that does equal work.

slow       193 us a call, where 54.0 us were expected
fast       54.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.51 times, 95% interval 3.38 to 3.63, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.17 times
neighbour  3.51 times: float32: as many elements, 2 times the bytes
roofline   14.1 times: this machine can move and compute as much in that time

Measure it again: python _npi_mod_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.87 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mod_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_mod_scalar/11fed95b", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_mod_scalar/de0a1441", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.87, threads=1))
