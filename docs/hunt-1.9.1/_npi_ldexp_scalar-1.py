"""_npi_ldexp_scalar, backward, on MXNet 1.9.1: 2.38 times as slow as a neighbour that does equal work.

slow       111 us a call, where 47.2 us were expected
fast       47.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.38 times, 95% interval 2.30 to 2.45, with 1 thread
family     float16
also       forward, 2.24 times
neighbour  2.38 times: float32: as many elements, 2 times the bytes
roofline   7.18 times: this machine can move and compute as much in that time

Measure it again: python _npi_ldexp_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_ldexp_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_ldexp_scalar/6ec7aea8", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_ldexp_scalar/01645b3b", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.54, threads=1))
