"""_npi_ediff1d, forward, on MXNet 1.9.1: 6.97 times as slow as a neighbour that does equal work.

slow       148 us a call, where 21.2 us were expected
fast       21.2 us a call
step       int32: as many elements, 2 times the bytes
ratio      6.97 times, 95% interval 6.15 to 7.24, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  6.97 times: int32: as many elements, 2 times the bytes
model      4.67 times: half of 40 other inputs lie within a factor of 1.12 of it
roofline   12.0 times: this machine can move and compute as much in that time

Measure it again: python _npi_ediff1d-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_ediff1d",
    category="cumulative",
    mxnet="1.9.1",
    seed=0,
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.64, threads=1))
