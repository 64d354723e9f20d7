"""_npi_ediff1d, forward, on MXNet 2.0.0b1: 9.74 times as slow as a neighbour that does equal work.

slow       196 us a call, where 20.3 us were expected
fast       20.3 us a call
step       int32
ratio      9.74 times, 95% interval 9.44 to 10.1, with 1 thread
family     dtype is float16
neighbour  9.65 times: int32 takes 10% of the time
model      4.91 times: half of 40 other inputs lie within a factor of 1.12 of it
roofline   9.60 times: this machine can move and compute as much in that time

Measure it again: python _npi_ediff1d-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.12 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_ediff1d",
    category="cumulative",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_ediff1d/5e6e93a9", profile="finding")
def slow():
    return dict(
        input1=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_ediff1d/35474bb2", profile="contrast")
def fast():
    return dict(
        input1=tensor((16384,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.12, threads=1))
