"""_npi_degrees, forward, on MXNet 1.9.1: 6.76 times as slow as a neighbour that does equal work.

slow       129 us a call, where 19.1 us were expected
fast       19.1 us a call
step       float64: as many elements, 4 times the bytes
ratio      6.76 times, 95% interval 6.49 to 6.92, with 1 thread
family     float16
also       backward, 3.43 times
neighbour  6.76 times: float64: as many elements, 4 times the bytes
model      3.58 times: half of 23 other inputs lie within a factor of 1.14 of it
roofline   8.00 times: this machine can move and compute as much in that time

Measure it again: python _npi_degrees-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.6 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_degrees",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_degrees/7059445d", profile="finding")
def slow():
    return dict(
        x=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_degrees/a4209e67", profile="contrast")
def fast():
    return dict(
        x=tensor((16384,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.6, threads=1))
