"""_npi_negative, backward, on MXNet 1.9.1: 6.85 times as slow as a neighbour that does equal work.

slow       636 us a call, where 91.8 us were expected
fast       91.8 us a call
step       float64: as many elements, 4 times the bytes
ratio      6.85 times, 95% interval 6.45 to 7.21, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 8.25 times
neighbour  6.85 times: float64: as many elements, 4 times the bytes
roofline   34.8 times: this machine can move and compute as much in that time

Measure it again: python _npi_negative-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.62 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_negative",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_negative/ab0745e7", profile="finding")
def slow():
    return dict(
        x=tensor((65536,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_negative/d85f194f", profile="contrast")
def fast():
    return dict(
        x=tensor((65536,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.62, threads=1))
