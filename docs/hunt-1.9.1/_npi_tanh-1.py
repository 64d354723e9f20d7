"""_npi_tanh, backward, on MXNet 1.9.1: 2.07 times as slow as a neighbour that does equal work.

slow       74.3 us a call, where 36.2 us were expected
fast       36.2 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.07 times, 95% interval 2.00 to 2.16, with 1 thread
family     float16
also       forward, 2.28 times
neighbour  2.07 times: float64: as many elements, 4 times the bytes
roofline   4.78 times: this machine can move and compute as much in that time

Measure it again: python _npi_tanh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.44 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_tanh",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_tanh/ece40026", profile="finding")
def slow():
    return dict(
        x=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_tanh/401eb643", profile="contrast")
def fast():
    return dict(
        x=tensor((2048,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.44, threads=1))
