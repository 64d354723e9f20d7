"""_npi_arctan, backward, on MXNet 1.9.1: 7.31 times as slow as a neighbour that does equal work.

slow       391 us a call, where 53.8 us were expected
fast       53.8 us a call
step       float32: as many elements, 2 times the bytes
ratio      7.31 times, 95% interval 6.73 to 7.69, with 1 thread
family     float16
also       forward, 2.68 times
neighbour  7.31 times: float32: as many elements, 2 times the bytes
roofline   24.2 times: this machine can move and compute as much in that time

Measure it again: python _npi_arctan-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.7 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_arctan",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_arctan/15b3e9fe", profile="finding")
def slow():
    return dict(
        x=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_arctan/94c38d2a", profile="contrast")
def fast():
    return dict(
        x=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.7, threads=1))
