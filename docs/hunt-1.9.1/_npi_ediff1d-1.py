"""_npi_ediff1d, backward, on MXNet 1.9.1: 3.02 times as slow as a neighbour that does equal work.

slow       147 us a call, where 47.9 us were expected
fast       47.9 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.02 times, 95% interval 2.81 to 3.20, with 1 thread
family     float16
also       forward, 6.64 times
neighbour  3.02 times: float64: as many elements, 4 times the bytes
roofline   9.13 times: this machine can move and compute as much in that time

Measure it again: python _npi_ediff1d-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.74 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_ediff1d",
    category="cumulative",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_ediff1d/5e6e93a9", profile="finding")
def slow():
    return dict(
        input1=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_ediff1d/60e16250", profile="contrast")
def fast():
    return dict(
        input1=tensor((16384,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.74, threads=1))
