"""_npi_mod_scalar, backward, on MXNet 1.9.1: 2.00 times as slow as a neighbour that does equal work.

slow       129 us a call, where 64.2 us were expected
fast       64.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.00 times, 95% interval 1.92 to 2.09, with 1 thread
family     float16
also       forward, 2.14 times
neighbour  2.00 times: float32: as many elements, 2 times the bytes
roofline   8.20 times: this machine can move and compute as much in that time

Measure it again: python _npi_mod_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.41 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mod_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_mod_scalar/116687e6", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_mod_scalar/b2fe2f69", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.41, threads=1))
