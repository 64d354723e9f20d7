"""_npi_cosh, backward, on MXNet 1.9.1: 2.70 times as slow as a neighbour that does equal work.

slow       146 us a call, where 53.9 us were expected
fast       53.9 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.70 times, 95% interval 2.65 to 2.76, with 1 thread
family     float16
also       forward, 2.00 times
neighbour  2.70 times: float64: as many elements, 4 times the bytes
roofline   9.39 times: this machine can move and compute as much in that time
forward    2.31 times: the forward pass of the same input

Measure it again: python _npi_cosh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_cosh",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_cosh/975a3441", profile="finding")
def slow():
    return dict(
        x=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_cosh/9178e4bd", profile="contrast")
def fast():
    return dict(
        x=tensor((2048,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.64, threads=1))
