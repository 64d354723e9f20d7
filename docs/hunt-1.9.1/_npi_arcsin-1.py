"""_npi_arcsin, backward, on MXNet 1.9.1: 1.92 times as slow as a neighbour that does equal work.

slow       80.3 us a call, where 41.8 us were expected
fast       41.8 us a call
step       float64: as many elements, 4 times the bytes
ratio      1.92 times, 95% interval 1.82 to 2.09, with 1 thread
family     this input; no family of it holds on fresh draws
also       forward, 1.94 times
neighbour  1.92 times: float64: as many elements, 4 times the bytes
roofline   5.18 times: this machine can move and compute as much in that time

Measure it again: python _npi_arcsin-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.38 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_arcsin",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_arcsin/81202f6e", profile="finding")
def slow():
    return dict(
        x=tensor((2048,), "float16", uniform(-0.9, 0.9)),
    )


@case("_npi_arcsin/ce7e763f", profile="contrast")
def fast():
    return dict(
        x=tensor((2048,), "float64", uniform(-0.9, 0.9)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.38, threads=1))
