"""_npi_ediff1d, backward, on MXNet 2.0.0b1: 4.22 times as slow as a neighbour that does equal work.

slow       391 us a call, where 92.9 us were expected
fast       92.9 us a call
step       float32
ratio      4.22 times, 95% interval 4.08 to 4.28, with 1 thread
family     dtype is float16
neighbour  4.21 times: float32 takes 24% of the time
model      4.28 times: half of 32 other inputs lie within a factor of 1.09 of it
roofline   17.1 times: this machine can move and compute as much in that time

Measure it again: python _npi_ediff1d-3.py
It times both interleaved, and exits with 1 if slow takes more than 2.06 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_ediff1d",
    category="cumulative",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_ediff1d/a7866d3a", profile="finding")
def slow():
    return dict(
        input1=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_ediff1d/5242f2af", profile="contrast")
def fast():
    return dict(
        input1=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.06, threads=1))
