"""_npi_cbrt, backward, on MXNet 2.0.0b1: 2.31 times as slow as a neighbour that does equal work.

slow       170 us a call, where 74.2 us were expected
fast       74.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.31 times, 95% interval 2.22 to 2.40, with 1 thread
family     float16
neighbour  2.31 times: float32: as many elements, 2 times the bytes
roofline   13.9 times: this machine can move and compute as much in that time

Measure it again: python _npi_cbrt-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.52 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_cbrt",
    category="power",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_cbrt/fc4ec89c", profile="finding")
def slow():
    return dict(
        x=tensor((16, 256), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_cbrt/48c99c8d", profile="contrast")
def fast():
    return dict(
        x=tensor((16, 256), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.52, threads=1))
