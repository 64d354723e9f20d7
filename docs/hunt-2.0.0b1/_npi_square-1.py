"""_npi_square, backward, on MXNet 2.0.0b1: 2.25 times as slow as a neighbour that does equal work.

slow       159 us a call, where 75.6 us were expected
fast       75.6 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.25 times, 95% interval 2.04 to 2.47, with 1 thread
family     float16
also       forward, 2.21 times
neighbour  2.25 times: float32: as many elements, 2 times the bytes
roofline   13.0 times: this machine can move and compute as much in that time
forward    2.22 times: the forward pass of the same input

Measure it again: python _npi_square-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_square",
    category="power",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_square/1002c00b", profile="finding")
def slow():
    return dict(
        x=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_square/38fc9f4e", profile="contrast")
def fast():
    return dict(
        x=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.5, threads=1))
