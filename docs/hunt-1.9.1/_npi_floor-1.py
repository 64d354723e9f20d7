"""_npi_floor, forward, on MXNet 1.9.1: 2.89 times as slow as a neighbour that does equal work.

slow       113 us a call, where 39.6 us were expected
fast       39.6 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.89 times, 95% interval 2.84 to 2.93, with 1 thread
family     float16
neighbour  2.89 times: float32: as many elements, 2 times the bytes
model      2.53 times: half of 23 other inputs lie within a factor of 1.05 of it
roofline   7.02 times: this machine can move and compute as much in that time

Measure it again: python _npi_floor-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.7 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_floor",
    category="rounding",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_floor/5728c9df", profile="finding")
def slow():
    return dict(
        x=tensor((16384,), "float16", uniform(-8.0, 8.0)),
    )


@case("_npi_floor/ef6b229b", profile="contrast")
def fast():
    return dict(
        x=tensor((16384,), "float32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.7, threads=1))
