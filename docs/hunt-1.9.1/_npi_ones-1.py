"""_npi_ones, forward, on MXNet 1.9.1: 3.16 times as slow as a neighbour that does equal work.

slow       17,730 us a call, where 8,054 us were expected
fast       4,027 us a call
step       no dtype
ratio      3.16 times, 95% interval 2.24 to 3.79, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.16 times: no dtype
model      13.5 times: half of 159 other inputs lie within a factor of 1.06 of it
roofline   5.73 times: this machine can move and compute as much in that time

Measure it again: python _npi_ones-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_npi_ones",
    category="creation",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_ones/c44e5921", profile="finding")
def slow():
    return dict(
        dtype="float64",
        shape=(3, 61, 229, 100),
    )


@case("_npi_ones/8f3e1dd7", profile="contrast")
def fast():
    return dict(
        shape=(3, 61, 229, 100),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.55, threads=1))
