"""_npi_square, forward, on MXNet 1.9.1: 3.14 times as slow as a neighbour that does equal work.

slow       129 us a call, where 41.4 us were expected
fast       41.4 us a call
step       int32: as many elements, 2 times the bytes
ratio      3.14 times, 95% interval 3.02 to 3.17, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.14 times: int32: as many elements, 2 times the bytes
roofline   8.01 times: this machine can move and compute as much in that time

Measure it again: python _npi_square-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.77 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_square",
    category="power",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_square/2ef9f7a3", profile="finding")
def slow():
    return dict(
        x=tensor((16384,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_square/b88204ab", profile="contrast")
def fast():
    return dict(
        x=tensor((16384,), "int32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.77, threads=1))
