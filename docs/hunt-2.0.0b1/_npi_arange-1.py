"""_npi_arange, forward, on MXNet 2.0.0b1: 7.86 times as slow as a neighbour that does equal work.

slow       17,934 us a call, where 2,272 us were expected
fast       2,272 us a call
step       dtype=int64
ratio      7.86 times, 95% interval 7.71 to 7.98, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  7.86 times: dtype=int64
roofline   467 times: this machine can move and compute as much in that time

Measure it again: python _npi_arange-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.8 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_npi_arange",
    category="creation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_arange/71baab80", profile="finding")
def slow():
    return dict(
        dtype="float16",
        start=0.0,
        stop=1048576.0,
    )


@case("_npi_arange/e9a5f7f9", profile="contrast")
def fast():
    return dict(
        dtype="int64",
        start=0.0,
        stop=1048576.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.8, threads=1))
