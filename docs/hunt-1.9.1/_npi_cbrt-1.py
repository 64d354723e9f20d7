"""_npi_cbrt, backward, on MXNet 1.9.1: 3.12 times as slow as a neighbour that does equal work.

slow       119 us a call, where 38.3 us were expected
fast       38.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.12 times, 95% interval 3.00 to 3.24, with 1 thread
family     float16
also       forward, 2.78 times
neighbour  3.12 times: float32: as many elements, 2 times the bytes
roofline   7.64 times: this machine can move and compute as much in that time

Measure it again: python _npi_cbrt-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.77 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_cbrt",
    category="power",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_cbrt/bd012d36", profile="finding")
def slow():
    return dict(
        x=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_cbrt/ea321c1d", profile="contrast")
def fast():
    return dict(
        x=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.77, threads=1))
