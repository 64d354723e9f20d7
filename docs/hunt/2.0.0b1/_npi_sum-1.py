"""_npi_sum, forward, on MXNet 2.0.0b1: 28.3 times as slow as a neighbour that does equal work.

slow       1,451 us a call, where 50.1 us were expected
fast       49.4 us a call
step       axis=1
ratio      28.3 times, 95% interval 27.6 to 29.4, with 1 thread
family     axis is not the last and dtype is float32
neighbour  29.0 times: axis=1 takes 3% of the time
model      17.5 times: half of 40 other inputs lie within a factor of 1.39 of it
roofline   52.1 times: this machine can move and compute as much in that time

Measure it again: python _npi_sum-1.py
It times both interleaved, and exits with 1 if slow takes more than 5.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_sum/b80bcd7b", profile="finding")
def slow():
    return dict(
        a=tensor((64, 1024), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
    )


@case("_npi_sum/b876df3b", profile="contrast")
def fast():
    return dict(
        a=tensor((64, 1024), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=5.4, threads=1))
