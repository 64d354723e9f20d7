"""_npi_ediff1d, forward, on MXNet 2.0.0b1: 4.32 times as slow as a neighbour that does equal work.

slow       106 us a call, where 23.4 us were expected
fast       23.4 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.32 times, 95% interval 3.78 to 4.86, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.32 times: int32: as many elements, 2 times the bytes
roofline   8.53 times: this machine can move and compute as much in that time

Measure it again: python _npi_ediff1d-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.08 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_ediff1d",
    category="cumulative",
    mxnet="2.0.0b1",
    seed=0,
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.08, threads=1))
