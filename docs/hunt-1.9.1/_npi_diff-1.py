"""_npi_diff, backward, on MXNet 1.9.1: 2.30 times as slow as a neighbour that does equal work.

slow       167 us a call, where 73.8 us were expected
fast       73.8 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.30 times, 95% interval 2.12 to 2.48, with 1 thread
family     float16
also       forward, 4.33 times
neighbour  2.30 times: float64: as many elements, 4 times the bytes
roofline   10.8 times: this machine can move and compute as much in that time
forward    1.76 times: the forward pass of the same input

Measure it again: python _npi_diff-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.51 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_diff",
    category="cumulative",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_diff/c591ff8d", profile="finding")
def slow():
    return dict(
        a=tensor((1024,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_diff/8a0f7e5a", profile="contrast")
def fast():
    return dict(
        a=tensor((1024,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.51, threads=1))
