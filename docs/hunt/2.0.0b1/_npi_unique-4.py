"""_npi_unique, forward, on MXNet 2.0.0b1: 3.04 times as slow as a neighbour that does equal work.

slow       106 us a call, where 36.4 us were expected
fast       36.4 us a call
step       float64
ratio      3.04 times, 95% interval 2.87 to 3.18, with 1 thread
family     axis is not the last and dtype is int64 or int8 or uint8 and data.shape[-1] >= 31
neighbour  2.92 times: float64 takes 34% of the time
model      1.84 times: half of 31 other inputs lie within a factor of 1.26 of it
roofline   5.84 times: this machine can move and compute as much in that time

Measure it again: python _npi_unique-4.py
It times both interleaved, and exits with 1 if slow takes more than 1.74 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_unique",
    category="sorting",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_unique/a067a2e4", profile="finding")
def slow():
    return dict(
        data=tensor((24, 31), "int64", integers(0, 10)),
        axis=0,
    )


@case("_npi_unique/f37765ed", profile="contrast")
def fast():
    return dict(
        data=tensor((24, 31), "float64", integers(0, 10)),
        axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.74, threads=1))
