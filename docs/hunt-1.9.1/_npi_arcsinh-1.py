"""_npi_arcsinh, backward, on MXNet 1.9.1: 3.54 times as slow as a neighbour that does equal work.

slow       179 us a call, where 49.9 us were expected
fast       49.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.54 times, 95% interval 3.43 to 3.64, with 1 thread
family     float16
also       forward, 3.15 times
neighbour  3.54 times: float32: as many elements, 2 times the bytes
roofline   11.5 times: this machine can move and compute as much in that time

Measure it again: python _npi_arcsinh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.88 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_arcsinh",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_arcsinh/dfbead76", profile="finding")
def slow():
    return dict(
        x=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_arcsinh/7d3cc593", profile="contrast")
def fast():
    return dict(
        x=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.88, threads=1))
