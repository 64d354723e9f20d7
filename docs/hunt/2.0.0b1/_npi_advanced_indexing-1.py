"""_npi_advanced_indexing, forward, on MXNet 2.0.0b1: 3.83 times as slow as a neighbour that does equal work.

slow       496 us a call, where 131 us were expected
fast       131 us a call
step       axes 0 and 1 made one
ratio      3.83 times, 95% interval 3.73 to 3.97, with 1 thread
family     data.shape[0] < 1,280,000
neighbour  3.78 times: axes 0 and 1 made one takes 26% of the time
model      1.31 times: half of 37 other inputs lie within a factor of 1.23 of it
roofline   2.37 times: this machine can move and compute as much in that time

Measure it again: python _npi_advanced_indexing-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.96 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_advanced_indexing",
    category="indexing",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_advanced_indexing/d30be959", profile="finding")
def slow():
    return dict(
        data=tensor((10000, 128), "float32", uniform(-1.0, 1.0)),
        indices=tensor((8192,), "int32", integers(0, 10000)),
    )


@case("_npi_advanced_indexing/7a2fd48b", profile="contrast")
def fast():
    return dict(
        data=tensor((1280000,), "float32", uniform(-1.0, 1.0)),
        indices=tensor((8192,), "int32", integers(0, 10000)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.96, threads=1))
