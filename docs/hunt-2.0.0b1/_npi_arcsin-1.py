"""_npi_arcsin, backward, on MXNet 2.0.0b1: 2.09 times as slow as a neighbour that does equal work.

slow       179 us a call, where 85.2 us were expected
fast       85.2 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.09 times, 95% interval 2.01 to 2.16, with 1 thread
family     float16
neighbour  2.09 times: float64: as many elements, 4 times the bytes
roofline   14.7 times: this machine can move and compute as much in that time
forward    1.86 times: the forward pass of the same input

Measure it again: python _npi_arcsin-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_arcsin",
    category="trigonometric",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_arcsin/d7e37cfd", profile="finding")
def slow():
    return dict(
        x=tensor((4096,), "float16", uniform(-0.9, 0.9)),
    )


@case("_npi_arcsin/3b217b2e", profile="contrast")
def fast():
    return dict(
        x=tensor((4096,), "float64", uniform(-0.9, 0.9)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.45, threads=1))
