"""_npi_mean, forward, on MXNet 2.0.0b1: 28.0 times as slow as a neighbour that does equal work.

slow       1,458 us a call, where 51.6 us were expected
fast       50.8 us a call
step       axis=1
ratio      28.0 times, 95% interval 27.1 to 29.0, with 1 thread
family     axis is not the last and dtype is float32
neighbour  28.3 times: axis=1 takes 4% of the time
model      17.2 times: half of 39 other inputs lie within a factor of 1.34 of it
roofline   52.3 times: this machine can move and compute as much in that time

Measure it again: python _npi_mean-1.py
It times both interleaved, and exits with 1 if slow takes more than 5.37 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mean",
    category="reduction",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_mean/3d2b36c6", profile="finding")
def slow():
    return dict(
        a=tensor((64, 1024), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
    )


@case("_npi_mean/cb966235", profile="contrast")
def fast():
    return dict(
        a=tensor((64, 1024), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=5.37, threads=1))
