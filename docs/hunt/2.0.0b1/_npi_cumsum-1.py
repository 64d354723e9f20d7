"""_npi_cumsum, forward, on MXNet 2.0.0b1: 8.08 times as slow as a neighbour that does equal work.

slow       26,034 us a call, where 3,227 us were expected
fast       3,227 us a call
step       axes 0 and 1 exchanged
ratio      8.08 times, 95% interval 8.04 to 8.11, with 1 thread
family     axis is not the last and dtype is float32 or float64 or int32 or int64
neighbour  8.07 times: axes 0 and 1 exchanged takes 12% of the time
model      8.53 times: half of 40 other inputs lie within a factor of 1.13 of it
roofline   79.0 times: this machine can move and compute as much in that time

Measure it again: python _npi_cumsum-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.84 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_cumsum",
    category="cumulative",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_cumsum/48951f0a", profile="finding")
def slow():
    return dict(
        a=tensor((1024, 1024), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("_npi_cumsum/ec1e974a", profile="contrast")
def fast():
    return dict(
        a=tensor((1024, 1024), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.84, threads=1))
