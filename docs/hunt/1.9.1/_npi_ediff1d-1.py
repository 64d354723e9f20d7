"""_npi_ediff1d, forward, on MXNet 1.9.1: 4.93 times as slow as a neighbour that does equal work.

slow       117 us a call, where 23.8 us were expected
fast       23.8 us a call
step       int32
ratio      4.93 times, 95% interval 4.76 to 4.99, with 1 thread
family     dtype is float16
neighbour  4.91 times: int32 takes 20% of the time
model      2.86 times: half of 40 other inputs lie within a factor of 1.11 of it
roofline   6.34 times: this machine can move and compute as much in that time

Measure it again: python _npi_ediff1d-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.22 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_ediff1d",
    category="cumulative",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_ediff1d/43476194", profile="finding")
def slow():
    return dict(
        input1=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_ediff1d/d0529f7f", profile="contrast")
def fast():
    return dict(
        input1=tensor((8192,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.22, threads=1))
