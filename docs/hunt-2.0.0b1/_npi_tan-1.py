"""_npi_tan, backward, on MXNet 2.0.0b1: 2.42 times as slow as a neighbour that does equal work.

slow       109 us a call, where 45.6 us were expected
fast       45.6 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.42 times, 95% interval 2.32 to 2.52, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.42 times: float64: as many elements, 4 times the bytes
roofline   8.91 times: this machine can move and compute as much in that time
forward    1.40 times: the forward pass of the same input

Measure it again: python _npi_tan-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_tan",
    category="trigonometric",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_tan/fd6bd4c9", profile="finding")
def slow():
    return dict(
        x=tensor((16, 256), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_tan/d50fd5fc", profile="contrast")
def fast():
    return dict(
        x=tensor((16, 256), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.56, threads=1))
