"""_npi_cumsum, backward, on MXNet 2.0.0b1: 6.82 times as slow as a neighbour that does equal work.

slow       616 us a call, where 91.5 us were expected
fast       91.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      6.82 times, 95% interval 6.57 to 6.96, with 1 thread
family     float16, and the length along axis is 2 or more
also       forward, 10.6 times
neighbour  6.82 times: float32: as many elements, 2 times the bytes
model      2.74 times: half of 35 other inputs lie within a factor of 1.32 of it
roofline   40.0 times: this machine can move and compute as much in that time

Measure it again: python _npi_cumsum-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.61 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_cumsum",
    category="cumulative",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_cumsum/a4c115e3", profile="finding")
def slow():
    return dict(
        a=tensor((4, 16384), "float16", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("_npi_cumsum/6a33c6e5", profile="contrast")
def fast():
    return dict(
        a=tensor((4, 16384), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.61, threads=1))
