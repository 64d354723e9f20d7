"""_npi_sum, backward, on MXNet 2.0.0b1: 2.45 times as slow as a neighbour that does equal work.

slow       333 us a call, where 135 us were expected
fast       135 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.45 times, 95% interval 2.28 to 2.76, with 1 thread
family     float16, and dtype is given
also       forward, 25.3 times
neighbour  2.45 times: float32: as many elements, 2 times the bytes
model      1.34 times: half of 35 other inputs lie within a factor of 1.18 of it
roofline   21.6 times: this machine can move and compute as much in that time

Measure it again: python _npi_sum-4.py
It times both interleaved, and exits with 1 if slow takes more than 1.57 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_sum/dd0ddfbb", profile="finding")
def slow():
    return dict(
        a=tensor((131072,), "float16", uniform(-1.0, 1.0)),
        dtype="float32",
    )


@case("_npi_sum/8d302b72", profile="contrast")
def fast():
    return dict(
        a=tensor((131072,), "float32", uniform(-1.0, 1.0)),
        dtype="float32",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.57, threads=1))
