"""_npi_arccos, backward, on MXNet 1.9.1: 2.79 times as slow as a neighbour that does equal work.

slow       210 us a call, where 75.6 us were expected
fast       75.6 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.79 times, 95% interval 2.65 to 2.93, with 1 thread
family     float16
neighbour  2.79 times: float64: as many elements, 4 times the bytes
roofline   13.5 times: this machine can move and compute as much in that time
forward    2.50 times: the forward pass of the same input

Measure it again: python _npi_arccos-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.67 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_arccos",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_arccos/626d9988", profile="finding")
def slow():
    return dict(
        x=tensor((4096,), "float16", uniform(-0.9, 0.9)),
    )


@case("_npi_arccos/e7438c4e", profile="contrast")
def fast():
    return dict(
        x=tensor((4096,), "float64", uniform(-0.9, 0.9)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.67, threads=1))
