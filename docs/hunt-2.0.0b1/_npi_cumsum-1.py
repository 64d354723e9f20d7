"""_npi_cumsum, forward, on MXNet 2.0.0b1: 5.52 times as slow as a neighbour that does equal work.

slow       74.9 us a call, where 13.4 us were expected
fast       13.4 us a call
step       int64: as many elements, 4 times the bytes
ratio      5.52 times, 95% interval 5.05 to 5.62, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  5.52 times: int64: as many elements, 4 times the bytes
roofline   6.13 times: this machine can move and compute as much in that time

Measure it again: python _npi_cumsum-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.35 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_cumsum",
    category="cumulative",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_cumsum/00b64677", profile="finding")
def slow():
    return dict(
        a=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_cumsum/8e7464c7", profile="contrast")
def fast():
    return dict(
        a=tensor((4096,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.35, threads=1))
